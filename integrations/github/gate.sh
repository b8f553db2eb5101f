#!/usr/bin/env bash
# Runs `assay gate` as a step of GitHub Actions: verdicts, JUnit, SARIF, a summary, annotations, outputs. See action.yml for the variables.
#
# Submissions are hostile, and so is whatever is printed about them. While anything but our own annotations is printed, the runner takes no commands.
set -euo pipefail

fail() {
    local text="${1//%/%25}"
    text="${text//$'\r'/%0D}"
    printf '::error title=Assay gate::%s\n' "${text//$'\n'/%0A}"
    exit 2
}

# Prints a file while the runner takes no commands. The word that ends this is random, so that the file cannot hold it.
show() {
    local word
    word="$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')"
    printf '::stop-commands::%s\n' "$word"
    cat -- "$1"
    printf '\n::%s::\n' "$word"
}

# Runs a program that is not ours. Rust, Python and their tools look for settings in the folder where they start and in those above, and in the checkout
# these are a stranger's: it starts in the root, gets absolute paths, and has neither the key nor the store.
foreign() {
    (cd / && exec env -u ASSAY_GATE_KEY -u ASSAY_STORE "$@" </dev/null)
}

: "${GITHUB_OUTPUT:?not in a step of GitHub Actions}" "${GITHUB_STEP_SUMMARY:?}" "${RUNNER_TEMP:?}"
[[ -n "${GATE_SUBMISSIONS:-}" ]] || fail "the input 'submissions' is empty: name a file or a folder"

work="$(mktemp -d "$RUNNER_TEMP/assay-gate.XXXXXX")"
source_at=""
if [[ -d "${GATE_SOURCE:-}" ]]; then source_at="$(CDPATH='' cd -- "$GATE_SOURCE" && pwd -P)"; fi
assay="${GATE_ASSAY:-}"
if [[ -z "$assay" ]]; then
    command -v cargo >/dev/null || fail "there is no Rust to build Assay with: install it in a step before, or give the input 'assay'"
    [[ -n "$source_at" ]] || fail "there is no folder ${GATE_SOURCE:-} to build Assay from"
    # Every compiler of the build is that of the machine, wherever it starts.
    if [[ -z "${RUSTUP_TOOLCHAIN:-}" ]] && command -v rustup >/dev/null; then
        toolchain="$(foreign rustup show active-toolchain 2>/dev/null)" || toolchain=""
        [[ -z "$toolchain" ]] || export RUSTUP_TOOLCHAIN="${toolchain%% *}"
    fi
    # Cargo also looks above the folder that it builds: a copy has nothing of the checkout above it.
    mkdir "$work/source"
    tar -C "$source_at" --exclude=./.git --exclude=./.cargo --exclude='./rust-toolchain*' --exclude=./target -cf - . | tar -C "$work/source" -xf -
    foreign cargo install --locked --path "$work/source/host/cli" --root "$RUNNER_TEMP/assay" >"$work/build.log" 2>&1 || {
        show "$work/build.log"
        fail "Assay cannot be built: the log has the reason"
    }
    assay="$RUNNER_TEMP/assay/bin/assay"
fi
# A name alone would be looked for on the PATH.
[[ "$assay" == */* ]] || assay="./$assay"
[[ -x "$assay" ]] || fail "there is no program $assay: the input 'assay' is the path of the assay binary"

# Python submissions need an interpreter, frozen from the release that this action belongs to. Without it they are unscored: no reason to stop here.
# What makes it is not ours alone: it gets no secret, and not for ever.
at="$GATE_SUBMISSIONS"
[[ "$at" == /* ]] || at="./$at"
setup="$source_at/guest-sdk/python/setup"
if [[ -z "${ASSAY_PYTHON_COMPONENT:-}" && -n "$source_at" && -x "$setup" && -n "$(find -H "$at" -maxdepth 1 -name '*.py' -print -quit 2>/dev/null)" ]]; then
    foreign timeout 600 "$setup" >"$work/python.log" 2>&1 || show "$work/python.log"
fi

options=(--policy "$GATE_POLICY" --out "$work/verdicts" --junit "$work/junit.xml" --sarif "$work/gate.sarif" --markdown "$work/summary.md" --github)
[[ -z "${GATE_JOBS:-}" ]] || options+=(--jobs "$GATE_JOBS")
# The checkout may be a stranger's: no store is looked for in it. One that the job names is used.
[[ -n "${ASSAY_STORE:-}" ]] || options+=(--no-store)
# An empty variable is what a secret that does not exist looks like.
[[ -n "${ASSAY_GATE_KEY:-}" ]] || unset ASSAY_GATE_KEY

code=0
"$assay" gate "${options[@]}" -- "$GATE_SUBMISSIONS" >"$work/annotations" 2>"$work/log" || code=$?
case "$code" in
    0) decision=pass ;;
    1) decision=rejected ;;
    3) decision=fail ;;
    4) decision=unscored ;;
    *) decision=error ;;
esac

if [[ -n "${GATE_VERIFY_KEY:-}" && "$decision" != error ]]; then
    shopt -s nullglob
    signed=("$work"/verdicts/*.dsse.json)
    ((${#signed[@]} > 0)) || { decision=error code=2; echo "error: no verdict is signed, though 'verify-key' is given" >>"$work/log"; }
    for verdict in "${signed[@]}"; do
        "$assay" gate verify "$verdict" --public-key "$GATE_VERIFY_KEY" --policy "$GATE_POLICY" >>"$work/log" 2>&1 || decision=error code=1
    done
fi

show "$work/log"
# `assay gate --github` writes nothing but annotations there; no other command would get through.
grep -E '^::(error|warning) (file|title)=' -- "$work/annotations" || true
if [[ -s "$work/summary.md" ]]; then cat -- "$work/summary.md" >>"$GITHUB_STEP_SUMMARY"; fi
# Every value is a word or a path below RUNNER_TEMP, so none spans two lines.
{
    printf 'decision=%s\nexit-code=%s\n' "$decision" "$code"
    printf 'verdicts=%s\njunit=%s\nsarif=%s\n' "$work/verdicts" "$work/junit.xml" "$work/gate.sarif"
} >>"$GITHUB_OUTPUT"

if [[ "$decision" == error ]]; then
    printf '::error title=Assay gate::There is no decision; the log of this step says why\n'
    exit "$((code == 0 ? 2 : code))"
fi
[[ "${GATE_FAIL:-true}" == false ]] || exit "$code"
