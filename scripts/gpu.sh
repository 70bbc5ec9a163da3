#!/usr/bin/env bash
# Checks Qwen3-Omni's voice on a GPU and then measures it, in eight minutes at most. Fetches nothing.
# usage: scripts/gpu.sh [--tiny] [--wheels DIR] [--out DIR] [--limit SECONDS]
#        scripts/gpu.sh pack DIR [PYTHON_VERSION]
#
# Weights are random, at the published size, and made here. First whether the device computes what
# it should (exactness.json), then clients at once through the socket: with CUDA graphs
# (graphs.json), without (eager.json), and with the stages in threads of the server instead of
# processes (threads.json). What there is no time for is left out, and each file says so. The exit
# status is 0 if all ran and everything is exact.
#
# --tiny is a rehearsal with tiny weights on the CPU, which may be slow: each part has ten times as
# long. --wheels installs packages from a folder that `pack` filled on a machine with a network,
# beside the torch that is there. Files go to --out, else to $OUT, else to bench/gpu; each is there as
# soon as its part has ended, whatever becomes of the others. --limit ends it sooner or later than
# usual.
set -euo pipefail
cd "$(dirname "$0")/.."

PACKED=(transformers pydantic pydantic-core annotated-types typing-inspection platformdirs starlette
    uvicorn websockets pyzmq soundfile cffi pycparser opuslib-next-bundled)
# What a machine with torch for CUDA and the usual packages around it lacks.

python=${PYTHON:-python3}
[[ -n ${PYTHON:-} || ! -x .venv/bin/python ]] || python=.venv/bin/python

pack() {
    local platforms=()
    for glibc in 2_39 2_35 2_34 2_31 2_28 2_27 2_24 2_17 2_12 2_5; do
        platforms+=(--platform "manylinux_${glibc}_x86_64")
    done
    "$python" -m pip download --quiet --no-deps --only-binary=:all: --implementation cp \
        --python-version "${2:-3.12}" "${platforms[@]}" --platform manylinux2014_x86_64 \
        --constraint constraints.txt --dest "$1" "${PACKED[@]}"
}

if [[ ${1:-} == pack ]]; then
    pack "${@:2}"
    exit
fi

size=real out=${OUT:-bench/gpu} wheels= limit= patience=1
while (($#)); do
    case $1 in
        --tiny) size=tiny patience=10 ;;
        --out) out=$2 && shift ;;
        --wheels) wheels=$2 && shift ;;
        --limit) limit=$2 && shift ;;
        *) sed -n '3,4s/^# //p' "$0" >&2 && exit 2 ;;
    esac
    shift
done
limit=${limit:-$((460 * patience))}
mkdir -p "$out"
exec > >(tee "$out/log.txt") 2>&1
work=$(mktemp -d) running=
# Ends whatever the part under way has left running; `timeout` makes a process group of each part.
sweep() {
    [[ ! $running ]] || kill -KILL -- "-$running" 2>/dev/null || true
    running=
}
trap 'sweep; rm -rf "$work"' EXIT
trap 'exit 143' INT TERM
export HF_HUB_OFFLINE=1 PYTHONUNBUFFERED=1 PYTHONPATH=$PWD${PYTHONPATH:+:$PYTHONPATH}
if [[ $wheels ]]; then
    timeout $((60 * patience)) "$python" -m pip install --quiet --no-index --no-deps --no-compile \
        --target "$work/site" "$wheels"/*.whl
    export PYTHONPATH=$work/site:$PYTHONPATH
fi
failed=0

# Runs a command for so many seconds at most (--tiny: ten times that), its children included.
step() {
    local name=$1 most=$(($2 * patience))
    left=$((limit - SECONDS))
    ((most < left)) || most=$left
    if ((most < 15)); then
        echo "== $name: no time left"
        failed=1
        return
    fi
    echo "== $name, ${most} s at most, at $SECONDS s"
    timeout --kill-after=5 "$most" "$python" -m "${@:3}" &
    running=$!
    wait "$running" || {
        echo "== $name: ended with $?"
        failed=1
    }
    sweep
}

# Tables: no level is begun that would hardly end within the time; each is kept once it has.
table() {
    local name=$1 most=$(($2 * patience))
    left=$((limit - SECONDS))
    ((most < left)) || most=$left
    step "$name" "$2" benchmarks.serving --random "$size" --folder "$work/$size" --name "$name" \
        --out "$out" --until $((most > 50 ? most - 25 : most / 2)) "${@:3}"
}

if [[ $size == tiny ]]; then
    device=cpu short=(--at 1,2 --seconds 1 --characters 30 --set qwen3_omni.positions=192)
    wide=("${short[@]}") some=("${short[@]}")
else
    timeout 20 nvidia-smi || true
    device=cuda:0
    wide=(--seconds 4) some=(--seconds 4 --at 1,8,64)
fi
wide+=(--device "$device") some+=(--device "$device")

step weights 60 benchmarks.serving.checkpoint tiny "$work/tiny"
[[ $size == tiny ]] || step weights 90 benchmarks.serving.checkpoint "$size" "$work/$size"
step exactness 130 benchmarks.serving.exactness --model "$work/$size" --tiny "$work/tiny" \
    --device "$device" --out "$out"
table graphs 140 "${wide[@]}" --config configs/colocated-gpu.yaml
table eager 110 "${wide[@]}" --config configs/colocated-gpu.yaml --graphs no
table threads 90 "${some[@]}" --config configs/qwen3_omni.yaml
echo "== ended at $SECONDS s: $( ((failed)) && echo "NOT all ran or was exact" || echo "all ran" )"
exit "$failed"
