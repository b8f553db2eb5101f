# The first process of a job's container, run by `bash -c`. From its standard input it reads, each ended by a zero byte: the folder, the path of the
# JUnit report (may be empty), "users" where the script may become other users (or nothing), the seconds after which it gives up and the script's length in bytes; then the script; then paths to
# clear, each after a `-` (removed) or a `+` (about to be written) and ended by a zero byte, the list by an empty one; then, if there was a `+`, a tar stream.
#
# On its standard error it says "ready" before the script runs and, after it, "junit" and the report if there is one, and "end". The script's own output, both kinds in the
# order in which they come, is the standard output. As process 1 it cannot be killed by what it starts.
#
# It has one capability, SETPCAP, that the script is started without, and SETGID and SETUID, with which it is started only for "users". The kernel lets nobody trace a process that may do more than he may, nor open
# its memory or its files in /proc, so neither the exit code nor the standard error can be had from within the script. Where that one cannot be
# given up (an image with neither setpriv nor python3, or whose user is not root) it says "open" before "ready".
#
# It exits with 124 for a folder that is not there and cannot be made, and 125 if it cannot prepare; only before "ready" do these mean anything.
exec 3>&2 4>&1 1>&3

# Whether what runs so cannot reach this process.
assay_holds() { "$@" bash -c '[[ ! -e /proc/1/fd/0 ]]' 2> /dev/null; }
assay_shield=(setpriv --inh-caps=-all --bounding-set=-setpcap,-setgid,-setuid)
if ! assay_holds "${assay_shield[@]}"; then
    # 24 is PR_CAPBSET_DROP, 6 is SETGID, 7 is SETUID, 8 is SETPCAP, which the others need.
    assay_shield=(python3 -I -S -c 'import ctypes, os, sys
if any(ctypes.CDLL(None).prctl(24, number, 0, 0, 0) for number in [6, 7, 8]): sys.exit(1)
os.execvp(sys.argv[1], sys.argv[1:])')
    if ! assay_holds "${assay_shield[@]}"; then
        assay_shield=()
        printf 'open\n' >&3
    fi
fi

IFS= read -r -d '' assay_folder && IFS= read -r -d '' assay_junit && IFS= read -r -d '' assay_users &&
    IFS= read -r -d '' assay_seconds && IFS= read -r -d '' assay_length && LC_ALL=C IFS= read -r -N "$assay_length" assay_script || exit 125
if [[ $assay_users ]]; then
    assay_shield=("${assay_shield[@]/,-setgid,-setuid/}")
    assay_shield=("${assay_shield[@]/\[6, 7, 8\]/[8]}")
fi
# A task may bring all of its files along: its image need not have the folder.
[[ -d $assay_folder ]] || mkdir -p -- "$assay_folder" 2> /dev/null
cd -- "$assay_folder" || exit 124

# What a killed process 1 of the host's would have ended: whoever started this may be gone.
(
    exec < /dev/null > /dev/null 2>&1 3>&- 4>&-
    sleep "$assay_seconds"
    kill -KILL -1
) &

(
    LC_ALL=C
    assay_writes=
    assay_clear=()
    assay_flush() {
        ((${#assay_clear[@]} == 0)) || rm -rf -- "${assay_clear[@]}" || exit 125
        assay_clear=()
    }
    while IFS= read -r -d '' assay_item && [[ -n $assay_item ]]; do
        [[ $assay_item == -* ]] || assay_writes=yes
        assay_rest=${assay_item:1}
        assay_at=.
        # A link or a file where a folder must be: nothing is removed or written through it.
        while [[ $assay_rest == */* ]]; do
            assay_at+=/${assay_rest%%/*}
            assay_rest=${assay_rest#*/}
            if [[ -L $assay_at || (-e $assay_at && ! -d $assay_at) ]]; then
                [[ $assay_item == -* ]] || assay_clear+=("$assay_at")
                continue 2
            fi
        done
        assay_at=./${assay_item:1}
        [[ ! -e $assay_at && ! -L $assay_at ]] || assay_clear+=("$assay_at")
        # The arguments of one process have a limit of 2 MiB; a path takes at most 4 KiB of it.
        ((${#assay_clear[@]} < 256)) || assay_flush
    done
    assay_flush
    [[ -z $assay_writes ]] || tar -x -o -f - || exit 125
) || exit
exec < /dev/null
[[ -z $assay_junit ]] || rm -rf -- "$assay_junit" || exit 125

printf 'ready\n' >&3
# What bash itself says, as of a process of ours that the script killed, would stand before the report.
exec 1> /dev/null 2>&1
exec 5< <(printf '%s' "$assay_script")
(
    exec 1>&4 2>&4 3>&- 4>&-
    # All of the script is read before any of it runs.
    exec "${assay_shield[@]}" bash -c 'assay_script=$(< /dev/fd/5) && exec 5<&- && eval "unset assay_script
$assay_script"' assay
)
assay_code=$?
exec 5<&-
if [[ -n $assay_junit && -f $assay_junit && ! -L $assay_junit ]]; then
    printf 'junit\n' >&3
    head -c "$1" -- "$assay_junit" >&3
fi
printf 'end\n' >&3
exit "$assay_code"
