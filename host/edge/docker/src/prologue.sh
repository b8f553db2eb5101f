# The first process of a job's container, run by `bash -c`. From its standard input it reads, each ended by a zero byte: the folder, the path of the
# JUnit report (may be empty), the seconds after which it gives up and the script's length in bytes; then the script; then paths to
# clear, each after a `-` (removed) or a `+` (about to be written) and ended by a zero byte, the list by an empty one; then, if there was a `+`, a tar stream.
#
# On its standard error it says "ready" before the script runs and, after it, "junit" and the report if there is one, and "end". The script's own output, both kinds in the
# order in which they come, is the standard output. As process 1 it cannot be killed by what it starts.
#
# It exits with 124 for a folder that is not there and 125 if it cannot prepare; only before "ready" do these mean anything.
exec 3>&2 4>&1 1>&3

IFS= read -r -d '' assay_folder && IFS= read -r -d '' assay_junit && IFS= read -r -d '' assay_seconds &&
    IFS= read -r -d '' assay_length && LC_ALL=C IFS= read -r -N "$assay_length" assay_script || exit 125
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
(
    exec 1>&4 2>&4 3>&- 4>&-
    eval "set --; unset assay_folder assay_junit assay_seconds assay_length assay_script
$assay_script"
)
assay_code=$?
if [[ -n $assay_junit && -f $assay_junit && ! -L $assay_junit ]]; then
    printf 'junit\n' >&3
    head -c "$1" -- "$assay_junit" >&3
fi
printf 'end\n' >&3
exit "$assay_code"
