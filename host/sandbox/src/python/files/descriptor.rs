//! The operations of `wasi:filesystem`, each answered by the tree.

use super::super::bindings::wasi::clocks::wall_clock::Datetime;
use super::super::bindings::wasi::filesystem::preopens;
use super::super::bindings::wasi::filesystem::types::{
    Advice, DescriptorFlags, DescriptorStat, DescriptorType, DirectoryEntry, Error, ErrorCode, Filesize, Host,
    HostDescriptor, HostDirectoryEntryStream, MetadataHashValue, NewTimestamp, OpenFlags, PathFlags,
};
use super::super::limits::{LISTED_ENTRIES_MAX, TRANSFER_BYTES_MAX};
use super::super::mounts::{Mount, SCRATCH};
use super::super::state::Guest;
use super::streams::{FileInput, FileOutput, StreamFailure};
use super::{Descriptor, FilesError, Listing, Place};
use assay_model::Time;
use assay_tree::{Kind, PATH_MAX, Stat, TreeError};
use wasmtime::component::Resource;
use wasmtime_wasi_io::streams::{DynInputStream, DynOutputStream};

type Handle = Resource<Descriptor>;
type Answer<T> = Result<T, FilesError>;

/// The id of a mount's root.
const ROOT_ID: u64 = 1;
/// Fuel for each byte of a path besides the one that any byte costs: each may be a name to look up, or a link to follow.
const PATH_BYTE_FUEL: usize = 16;
/// Fuel for each entry of a folder that is listed.
const LISTED_ENTRY_FUEL: usize = 100;

impl preopens::Host for Guest {
    fn get_directories(&mut self) -> wasmtime::Result<Vec<(Handle, String)>> {
        let folder = self.shared.lock().folder()?;
        [(Mount::Root, "/".to_owned()), (Mount::Scratch, SCRATCH.to_owned()), (Mount::Episode, folder)]
            .into_iter()
            .map(|(mount, name)| {
                let flags = match mount {
                    Mount::Root => DescriptorFlags::READ,
                    Mount::Scratch | Mount::Episode => DescriptorFlags::READ | DescriptorFlags::MUTATE_DIRECTORY,
                };
                let root = Descriptor { mount, path: b"/".to_vec(), id: ROOT_ID, kind: Kind::Directory, flags };
                Ok((self.table.push(root)?, name))
            })
            .collect()
    }
}

impl Guest {
    fn descriptor(&self, handle: &Handle) -> Answer<&Descriptor> {
        self.table.get(handle).map_err(|error| FilesError::Trap(error.into()))
    }

    /// A descriptor's place, still what it was.
    fn place(&self, handle: &Handle) -> Answer<(Place, Stat)> {
        let place = self.descriptor(handle)?.place();
        let mut shared = self.shared.lock();
        shared.charge(0)?;
        let stat = shared.mounts.check(&place)?;
        Ok((place, stat))
    }

    /// The place of a file, for a call that carries `bytes` bytes.
    fn file(&self, handle: &Handle, needed: DescriptorFlags, bytes: usize) -> Answer<Place> {
        self.shared.lock().charge(bytes)?;
        let descriptor = self.descriptor(handle)?;
        if descriptor.kind == Kind::Directory {
            return Err(ErrorCode::IsDirectory.into());
        }
        if !descriptor.flags.contains(needed) {
            return Err(ErrorCode::BadDescriptor.into());
        }
        Ok(descriptor.place())
    }

    /// The mount and the path that `path` means from a folder.
    fn below(&self, handle: &Handle, path: &str) -> Answer<(Mount, Vec<u8>)> {
        let descriptor = self.descriptor(handle)?;
        let mut shared = self.shared.lock();
        // A path too long to lead anywhere has been copied and is not looked at.
        let looked_at = if path.len() < PATH_MAX { path.len() * PATH_BYTE_FUEL } else { path.len() };
        shared.charge(looked_at)?;
        if path.len() >= PATH_MAX {
            return Err(ErrorCode::NameTooLong.into());
        }
        let joined = descriptor.join(path)?;
        shared.mounts.check(&descriptor.place())?;
        Ok((descriptor.mount, joined))
    }

    fn stat_below(&self, handle: &Handle, flags: PathFlags, path: &str) -> Answer<Stat> {
        let (mount, path) = self.below(handle, path)?;
        let shared = self.shared.lock();
        let tree = shared.mounts.tree(mount);
        let stat = if flags.contains(PathFlags::SYMLINK_FOLLOW) { tree.stat(&path) } else { tree.lstat(&path) };
        Ok(stat?)
    }

    fn change_below(
        &self,
        handle: &Handle,
        path: &str,
        change: impl FnOnce(&mut assay_tree::Tree, &[u8], Time) -> Result<(), TreeError>,
    ) -> Answer<()> {
        let (mount, path) = self.below(handle, path)?;
        let mut shared = self.shared.lock();
        let now = shared.tick();
        Ok(change(shared.mounts.tree_mut(mount)?, &path, now)?)
    }

    fn set_times_of(&self, mount: Mount, path: &[u8], modified: NewTimestamp) -> Answer<()> {
        let mut shared = self.shared.lock();
        let time = match modified {
            NewTimestamp::NoChange => return Ok(()),
            NewTimestamp::Now => shared.tick(),
            NewTimestamp::Timestamp(at) => {
                Time(at.seconds.saturating_mul(1_000_000_000).saturating_add(u64::from(at.nanoseconds)))
            }
        };
        Ok(shared.mounts.tree_mut(mount)?.set_modified(path, time)?)
    }

    fn open(
        &self,
        mount: Mount,
        path: Vec<u8>,
        how: (PathFlags, OpenFlags),
        flags: DescriptorFlags,
    ) -> Answer<Descriptor> {
        let (follow, how) = (how.0.contains(PathFlags::SYMLINK_FOLLOW), how.1);
        let mut shared = self.shared.lock();
        let now = shared.tick();
        let found = match shared.mounts.tree(mount) {
            tree if follow => tree.stat(&path),
            tree => tree.lstat(&path),
        };
        let stat = match found {
            Ok(_) if how.contains(OpenFlags::CREATE | OpenFlags::EXCLUSIVE) => return Err(ErrorCode::Exist.into()),
            Ok(stat) => stat,
            Err(TreeError::NotFound) if how.contains(OpenFlags::CREATE) && !how.contains(OpenFlags::DIRECTORY) => {
                let tree = shared.mounts.tree_mut(mount)?;
                // Through a dangling symlink `put` makes what it points to, as Linux does.
                if follow {
                    tree.put(&path, b"".into(), now)?;
                } else {
                    tree.create(&path, now)?;
                }
                tree.stat(&path)?
            }
            Err(error) => return Err(error.into()),
        };
        let writes = flags.contains(DescriptorFlags::WRITE);
        match stat.kind {
            Kind::Symlink => return Err(ErrorCode::Loop.into()),
            Kind::Directory if writes || how.contains(OpenFlags::TRUNCATE) => return Err(ErrorCode::IsDirectory.into()),
            Kind::File | Kind::Executable if how.contains(OpenFlags::DIRECTORY) => {
                return Err(ErrorCode::NotDirectory.into());
            }
            Kind::File | Kind::Executable if writes && mount == Mount::Root => return Err(ErrorCode::ReadOnly.into()),
            _ => {}
        }
        if how.contains(OpenFlags::TRUNCATE) && stat.size > 0 {
            shared.mounts.tree_mut(mount)?.truncate(&path, 0, now)?;
        }
        Ok(Descriptor { mount, path, id: stat.id, kind: stat.kind, flags })
    }
}

impl Host for Guest {
    fn filesystem_error_code(&mut self, error: Resource<Error>) -> wasmtime::Result<Option<ErrorCode>> {
        self.shared.lock().charge_handle()?;
        Ok(self.table.get(&error)?.downcast_ref::<StreamFailure>().map(|failure| failure.0))
    }

    fn convert_error_code(&mut self, error: FilesError) -> wasmtime::Result<ErrorCode> {
        match error {
            FilesError::Code(code) => Ok(code),
            FilesError::Trap(error) => Err(error),
        }
    }
}

impl HostDescriptor for Guest {
    fn read_via_stream(&mut self, handle: Handle, offset: Filesize) -> Answer<Resource<DynInputStream>> {
        let place = self.file(&handle, DescriptorFlags::READ, 0)?;
        let stream: DynInputStream = Box::new(FileInput { shared: self.shared.clone(), place, offset });
        self.push(stream)
    }

    fn write_via_stream(&mut self, handle: Handle, offset: Filesize) -> Answer<Resource<DynOutputStream>> {
        let place = self.file(&handle, DescriptorFlags::WRITE, 0)?;
        let stream: DynOutputStream = Box::new(FileOutput { shared: self.shared.clone(), place, offset: Some(offset) });
        self.push(stream)
    }

    fn append_via_stream(&mut self, handle: Handle) -> Answer<Resource<DynOutputStream>> {
        let place = self.file(&handle, DescriptorFlags::WRITE, 0)?;
        let stream: DynOutputStream = Box::new(FileOutput { shared: self.shared.clone(), place, offset: None });
        self.push(stream)
    }

    fn advise(&mut self, handle: Handle, _: Filesize, _: Filesize, _: Advice) -> Answer<()> {
        self.place(&handle).map(|_| ())
    }

    fn sync_data(&mut self, handle: Handle) -> Answer<()> {
        self.place(&handle).map(|_| ())
    }

    fn sync(&mut self, handle: Handle) -> Answer<()> {
        self.place(&handle).map(|_| ())
    }

    fn get_flags(&mut self, handle: Handle) -> Answer<DescriptorFlags> {
        self.shared.lock().charge_handle()?;
        Ok(self.descriptor(&handle)?.flags)
    }

    fn get_type(&mut self, handle: Handle) -> Answer<DescriptorType> {
        self.shared.lock().charge_handle()?;
        Ok(kind(self.descriptor(&handle)?.kind))
    }

    fn set_size(&mut self, handle: Handle, size: Filesize) -> Answer<()> {
        let place = self.file(&handle, DescriptorFlags::WRITE, 0)?;
        let mut shared = self.shared.lock();
        let before = shared.mounts.check(&place)?.size;
        // Filling up with zeros is work for each of them.
        shared.charge(usize::try_from(size.saturating_sub(before)).unwrap_or(usize::MAX))?;
        let now = shared.tick();
        Ok(shared.mounts.tree_mut(place.mount)?.truncate(&place.path, size, now)?)
    }

    fn set_times(&mut self, handle: Handle, _: NewTimestamp, modified: NewTimestamp) -> Answer<()> {
        let (place, _) = self.place(&handle)?;
        self.set_times_of(place.mount, &place.path, modified)
    }

    fn read(&mut self, handle: Handle, length: Filesize, offset: Filesize) -> Answer<(Vec<u8>, bool)> {
        let place = self.file(&handle, DescriptorFlags::READ, 0)?;
        let mut shared = self.shared.lock();
        let size = shared.mounts.check(&place)?.size;
        let length = usize::try_from(length).unwrap_or(usize::MAX).min(TRANSFER_BYTES_MAX);
        let there = usize::try_from(size.saturating_sub(offset)).unwrap_or(usize::MAX);
        shared.charge(length.min(there))?;
        let bytes = shared.mounts.tree(place.mount).read(&place.path, offset, length)?;
        let end = offset.saturating_add(bytes.len() as u64) >= size;
        Ok((bytes, end))
    }

    fn write(&mut self, handle: Handle, bytes: Vec<u8>, offset: Filesize) -> Answer<Filesize> {
        let place = self.file(&handle, DescriptorFlags::WRITE, bytes.len())?;
        let mut shared = self.shared.lock();
        shared.mounts.check(&place)?;
        let now = shared.tick();
        shared.mounts.tree_mut(place.mount)?.write(&place.path, offset, &bytes, now)?;
        Ok(bytes.len() as u64)
    }

    fn read_directory(&mut self, handle: Handle) -> Answer<Resource<Listing>> {
        let place = self.descriptor(&handle)?.place();
        let room = LISTED_ENTRIES_MAX - self.entries_listed;
        let entries = {
            let mut shared = self.shared.lock();
            shared.charge(0)?;
            shared.mounts.check(&place)?;
            let count = shared.mounts.tree(place.mount).entry_count(&place.path)?;
            if count > room {
                return Err(ErrorCode::InsufficientMemory.into());
            }
            shared.charge(count * LISTED_ENTRY_FUEL)?;
            // The interface has no names but text; others are passed over.
            let listed = shared.mounts.tree(place.mount).readdir(&place.path)?;
            listed.filter(|entry| std::str::from_utf8(entry.name.as_bytes()).is_ok()).collect::<Vec<_>>()
        };
        let listed = entries.len();
        let listing = self.push(Listing { entries: entries.into_iter(), listed })?;
        self.entries_listed += listed;
        Ok(listing)
    }

    fn create_directory_at(&mut self, handle: Handle, path: String) -> Answer<()> {
        self.change_below(&handle, &path, |tree, path, now| tree.mkdir(path, now))
    }

    fn stat(&mut self, handle: Handle) -> Answer<DescriptorStat> {
        self.place(&handle).map(|(_, stat)| description(&stat))
    }

    fn stat_at(&mut self, handle: Handle, flags: PathFlags, path: String) -> Answer<DescriptorStat> {
        self.stat_below(&handle, flags, &path).map(|stat| description(&stat))
    }

    fn set_times_at(
        &mut self,
        handle: Handle,
        _: PathFlags,
        path: String,
        _: NewTimestamp,
        modified: NewTimestamp,
    ) -> Answer<()> {
        let (mount, path) = self.below(&handle, &path)?;
        self.set_times_of(mount, &path, modified)
    }

    fn link_at(&mut self, _: Handle, _: PathFlags, old: String, _: Handle, new: String) -> Answer<()> {
        self.shared.lock().charge(old.len() + new.len())?;
        // Git keeps no hard links, and a tree has none.
        Err(ErrorCode::Unsupported.into())
    }

    fn open_at(
        &mut self,
        handle: Handle,
        follow: PathFlags,
        path: String,
        how: OpenFlags,
        flags: DescriptorFlags,
    ) -> Answer<Handle> {
        let (mount, path) = self.below(&handle, &path)?;
        if self.descriptors_open >= self.limits.descriptors {
            return Err(ErrorCode::Quota.into());
        }
        let descriptor = self.open(mount, path, (follow, how), flags)?;
        let handle = self.push(descriptor)?;
        self.descriptors_open += 1;
        Ok(handle)
    }

    fn readlink_at(&mut self, handle: Handle, path: String) -> Answer<String> {
        let (mount, path) = self.below(&handle, &path)?;
        let shared = self.shared.lock();
        let target = shared.mounts.tree(mount).readlink(&path)?;
        std::str::from_utf8(target).map(str::to_owned).map_err(|_| ErrorCode::IllegalByteSequence.into())
    }

    fn remove_directory_at(&mut self, handle: Handle, path: String) -> Answer<()> {
        self.change_below(&handle, &path, |tree, path, now| tree.rmdir(path, now))
    }

    fn rename_at(&mut self, old: Handle, old_path: String, new: Handle, new_path: String) -> Answer<()> {
        let (target_mount, target) = self.below(&new, &new_path)?;
        let (mount, path) = self.below(&old, &old_path)?;
        if mount != target_mount {
            return Err(ErrorCode::CrossDevice.into());
        }
        let mut shared = self.shared.lock();
        let now = shared.tick();
        Ok(shared.mounts.tree_mut(mount)?.rename(&path, &target, now)?)
    }

    fn symlink_at(&mut self, handle: Handle, target: String, path: String) -> Answer<()> {
        self.shared.lock().charge(target.len())?;
        if target.starts_with('/') {
            // In the graded container it would lead out of the repository.
            return Err(ErrorCode::NotPermitted.into());
        }
        self.change_below(&handle, &path, |tree, path, now| tree.symlink(target.as_bytes(), path, now))
    }

    fn unlink_file_at(&mut self, handle: Handle, path: String) -> Answer<()> {
        self.change_below(&handle, &path, |tree, path, now| tree.unlink(path, now))
    }

    fn is_same_object(&mut self, one: Handle, other: Handle) -> wasmtime::Result<bool> {
        self.shared.lock().charge_handle()?;
        let (one, other) = (self.table.get(&one)?, self.table.get(&other)?);
        Ok((one.mount, one.id) == (other.mount, other.id))
    }

    fn metadata_hash(&mut self, handle: Handle) -> Answer<MetadataHashValue> {
        self.place(&handle).map(|(place, stat)| identity(place.mount, &stat))
    }

    fn metadata_hash_at(&mut self, handle: Handle, flags: PathFlags, path: String) -> Answer<MetadataHashValue> {
        let mount = self.descriptor(&handle)?.mount;
        self.stat_below(&handle, flags, &path).map(|stat| identity(mount, &stat))
    }

    fn drop(&mut self, handle: Handle) -> wasmtime::Result<()> {
        self.shared.lock().charge_handle()?;
        let descriptor = self.table.delete(handle)?;
        if descriptor.path != b"/" {
            self.descriptors_open -= 1;
        }
        Ok(())
    }
}

impl HostDirectoryEntryStream for Guest {
    fn read_directory_entry(&mut self, handle: Resource<Listing>) -> Answer<Option<DirectoryEntry>> {
        self.shared.lock().charge_handle()?;
        let listing = self.table.get_mut(&handle).map_err(|error| FilesError::Trap(error.into()))?;
        Ok(listing.entries.next().map(|entry| DirectoryEntry {
            type_: kind(entry.stat.kind),
            name: String::from_utf8_lossy(entry.name.as_bytes()).into_owned(),
        }))
    }

    fn drop(&mut self, handle: Resource<Listing>) -> wasmtime::Result<()> {
        self.shared.lock().charge_handle()?;
        self.entries_listed -= self.table.delete(handle)?.listed;
        Ok(())
    }
}

impl Guest {
    /// A new handle for the guest.
    fn push<T: Send + 'static>(&mut self, thing: T) -> Answer<Resource<T>> {
        // Full: as many things are open as may be.
        self.table.push(thing).map_err(|_| ErrorCode::Quota.into())
    }
}

fn kind(kind: Kind) -> DescriptorType {
    match kind {
        Kind::Directory => DescriptorType::Directory,
        Kind::File | Kind::Executable => DescriptorType::RegularFile,
        Kind::Symlink => DescriptorType::SymbolicLink,
    }
}

fn description(stat: &Stat) -> DescriptorStat {
    let modified = stat.modified.0;
    let time = Datetime { seconds: modified / 1_000_000_000, nanoseconds: (modified % 1_000_000_000) as u32 };
    DescriptorStat {
        type_: kind(stat.kind),
        link_count: 1,
        size: stat.size,
        data_access_timestamp: Some(time),
        data_modification_timestamp: Some(time),
        status_change_timestamp: Some(time),
    }
}

fn identity(mount: Mount, stat: &Stat) -> MetadataHashValue {
    MetadataHashValue { lower: stat.id, upper: mount as u64 }
}
