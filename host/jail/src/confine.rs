//! Restricts the calling process for good: namespaces, file tree, user id, Landlock, resource limits.
//!
//! Only the single-threaded helper calls this. Everything here is inherited by the tool and cannot be undone by it.

use std::fs;
use std::io;
use std::os::fd::{BorrowedFd, RawFd};
use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, LandlockStatus, Ruleset, RulesetAttr,
    RulesetCreatedAttr, RulesetError, Scope, path_beneath_rules,
};
use rustix::process::{DumpableBehavior, Resource, Rlimit, getegid, geteuid, getpid, set_dumpable_behavior, setrlimit};
use rustix::thread::{
    CapabilitySet, CapabilitySets, Gid, Uid, UnshareFlags, configure_capability_in_ambient_set, set_capabilities,
    set_keep_capabilities, set_no_new_privs, set_thread_groups, set_thread_res_gid, set_thread_res_uid, unshare_unsafe,
};

use crate::root::{self, DEVICES};
use crate::wire::Settings;
use crate::{Landlock, Limits, Network, PRIVATE_WRITABLE, Protections};

/// User ids of jails start here, far above those that systems and containers hand out; the process id is added.
const JAIL_USER_ID_BASE: u32 = 0x6A00_0000;

/// The newest Landlock ABI whose rights are asked for; the kernel enforces as many as it knows.
const LANDLOCK_ABI: ABI = ABI::V9;

/// A step of the set-up that failed and why.
pub(crate) type Failure = (&'static str, String);

/// Applies everything, most privileged first.
pub(crate) fn confine(settings: &Settings) -> Result<Protections, Failure> {
    close_on_exec().map_err(|error| ("mark inherited files", error.to_string()))?;
    // When memory runs out on the machine, the jail goes first. Where /proc is missing this is merely not said.
    let _ = fs::write("/proc/self/oom_score_adj", "1000");
    let isolation = isolate(settings);
    set_no_new_privs(true).map_err(|error| ("give up gaining privileges", error.to_string()))?;
    let (landlock, landlock_abi) =
        restrict_files(&settings.read_only, writable_inside(settings, isolation.private_root))
            .map_err(|error| ("apply Landlock", error.to_string()))?;
    limit_resources(&settings.limits, isolation.own_process_count)
        .map_err(|error| ("set resource limits", error.to_string()))?;
    // Keeps a tool that shares the helper's user id from reading or tracing the helper.
    set_dumpable_behavior(DumpableBehavior::NotDumpable).map_err(|error| ("hide the helper", error.to_string()))?;
    let network = match (isolation.namespaces, landlock_abi >= ABI::V4 as u32) {
        (true, _) => Network::Namespace,
        (false, true) => Network::Landlock,
        (false, false) => Network::None,
    };
    Ok(Protections {
        landlock,
        landlock_abi,
        network,
        private_root: isolation.private_root,
        process_tree: isolation.namespaces,
        processes: isolation.own_process_count,
    })
}

/// Where the tool finds the writable folder.
pub(crate) fn writable_inside(settings: &Settings, private_root: bool) -> &Path {
    if private_root { Path::new(PRIVATE_WRITABLE) } else { &settings.writable }
}

/// What the kernel let us have.
struct Isolation {
    /// Network, process-id, IPC and mount namespaces of our own.
    namespaces: bool,
    /// A file tree of our own.
    private_root: bool,
    /// The kernel counts our processes apart from everyone else's, so that a limit on them means something.
    own_process_count: bool,
}

/// Root is exempt from the process limit, so root becomes a user nobody else is; everyone else gets a user namespace, in which the
/// kernel counts afresh.
fn isolate(settings: &Settings) -> Isolation {
    let namespaces = UnshareFlags::NEWNET | UnshareFlags::NEWPID | UnshareFlags::NEWIPC | UnshareFlags::NEWNS;
    let private_root = || root::enter(&settings.root, &settings.read_only, &settings.writable).is_ok();
    let (user, group) = (geteuid(), getegid());
    let mut isolation = Isolation { namespaces: false, private_root: false, own_process_count: false };
    if user.is_root() {
        isolation.namespaces = enter(namespaces).is_ok();
        isolation.private_root = isolation.namespaces && private_root();
        isolation.own_process_count = become_nobody().is_ok();
    }
    if !isolation.own_process_count && enter(UnshareFlags::NEWUSER).is_ok() {
        isolation.own_process_count = map_user(user, group).is_ok();
        if !isolation.namespaces {
            isolation.namespaces = enter(namespaces).is_ok();
            isolation.private_root = isolation.namespaces && private_root();
        }
    }
    isolation
}

#[expect(unsafe_code, reason = "rustix marks every unshare unsafe because of one flag that is not used here")]
fn enter(namespaces: UnshareFlags) -> rustix::io::Result<()> {
    // SAFETY: the danger is `UnshareFlags::FILES`, which no caller passes; besides, the helper has a single thread.
    unsafe { unshare_unsafe(namespaces) }
}

/// Maps the caller's own ids to themselves, the only mapping an unprivileged process may write.
fn map_user(user: Uid, group: Gid) -> io::Result<()> {
    fs::write("/proc/self/setgroups", "deny")?;
    fs::write("/proc/self/uid_map", format!("{user} {user} 1", user = user.as_raw()))?;
    fs::write("/proc/self/gid_map", format!("{group} {group} 1", group = group.as_raw()))
}

/// Gives up root for a user id of this jail's own. The right to open files as root does stays, because toolchains and the caller's
/// folders belong to root; Landlock decides which of them. All other capabilities are gone.
fn become_nobody() -> rustix::io::Result<()> {
    let id = JAIL_USER_ID_BASE + getpid().as_raw_nonzero().get().unsigned_abs();
    let (user, group) = (Uid::from_raw(id), Gid::from_raw(id));
    set_thread_groups(&[])?;
    set_thread_res_gid(group, group, group)?;
    set_keep_capabilities(true)?;
    set_thread_res_uid(user, user, user)?;
    let kept = CapabilitySet::DAC_OVERRIDE;
    set_capabilities(None, CapabilitySets { effective: kept, permitted: kept, inheritable: kept })?;
    configure_capability_in_ambient_set(kept, true)
}

/// Denies every file but those named, and TCP, abstract sockets and signals to the outside, as far as the kernel can. Returns what
/// held and by which version of the interface.
fn restrict_files(read_only: &[PathBuf], writable: &Path) -> Result<(Landlock, u32), RulesetError> {
    let read = AccessFs::from_read(LANDLOCK_ABI);
    // Nothing written in the jail can be executed, nor can device files or sockets be made.
    let write: BitFlags<AccessFs> = AccessFs::ReadFile
        | AccessFs::ReadDir
        | AccessFs::WriteFile
        | AccessFs::Truncate
        | AccessFs::RemoveDir
        | AccessFs::RemoveFile
        | AccessFs::MakeDir
        | AccessFs::MakeReg
        | AccessFs::MakeSym
        | AccessFs::Refer;
    let status = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(LANDLOCK_ABI))?
        .handle_access(AccessNet::from_all(LANDLOCK_ABI))?
        .scope(Scope::from_all(LANDLOCK_ABI))?
        .create()?
        .add_rules(path_beneath_rules(read_only, read))?
        .add_rules(path_beneath_rules([writable], write))?
        .add_rules(path_beneath_rules(&DEVICES[..1], AccessFs::ReadFile | AccessFs::WriteFile))?
        .add_rules(path_beneath_rules(&DEVICES[1..], AccessFs::ReadFile))?
        .restrict_self()?;
    Ok(match status.landlock {
        LandlockStatus::Available { effective_abi, .. } if effective_abi >= ABI::V6 => {
            (Landlock::Full, effective_abi as u32)
        }
        LandlockStatus::Available { effective_abi, .. } => (Landlock::Partial, effective_abi as u32),
        LandlockStatus::NotEnabled | LandlockStatus::NotImplemented => (Landlock::None, 0),
    })
}

fn limit_resources(limits: &Limits, processes: bool) -> rustix::io::Result<()> {
    let mut set = vec![
        (Resource::As, limits.memory_bytes),
        // The second more is for process 1 of a namespace, which only the last of the kernel's two signals ends; others show by the first what they died of.
        (Resource::Cpu, limits.cpu_seconds.saturating_add(1)),
        (Resource::Fsize, limits.file_bytes),
        (Resource::Nofile, limits.open_files),
        (Resource::Core, 0),
    ];
    if processes {
        // The helper itself is one of those counted.
        set.push((Resource::Nproc, limits.processes + 1));
    }
    set.into_iter().try_for_each(|(resource, most)| {
        // An unprivileged caller may already live under a lower limit, which stays.
        let most = rustix::process::getrlimit(resource).maximum.map_or(most, |hard| hard.min(most));
        let current = if resource == Resource::Cpu { most.min(limits.cpu_seconds) } else { most };
        setrlimit(resource, Rlimit { current: Some(current), maximum: Some(most) })
    })
}

/// Files that our caller's caller left open (a make job server, a terminal) must not reach the tool.
#[expect(unsafe_code, reason = "the numbers of inherited descriptors can only be borrowed raw")]
fn close_on_exec() -> io::Result<()> {
    let numbers = fs::read_dir("/proc/self/fd")?
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<RawFd>().ok())
        .filter(|number| *number > 2)
        .collect::<Vec<_>>();
    for number in numbers {
        // SAFETY: the process has a single thread, so a descriptor listed above is still open here, except for the listing's own,
        // for which the call below fails harmlessly: nothing has been opened since.
        let file = unsafe { BorrowedFd::borrow_raw(number) };
        let _ = rustix::io::fcntl_setfd(file, rustix::io::FdFlags::CLOEXEC);
    }
    Ok(())
}
