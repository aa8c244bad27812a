# SPDX-License-Identifier: GPL-3.0-or-later
# What packaging/run and packaging/test share. Sourced, not run.

say() {
    printf '==> %s\n' "$*" >&2
}

fail() {
    printf '\nfermata: %s\n' "$1" >&2
    shift
    for line in "$@"; do
        printf '         %s\n' "$line" >&2
    done
    exit 1
}

# The package names in the given files of this folder.
packages_of() {
    local file
    for file in "$@"; do
        grep -v '^[[:space:]]*\(#\|$\)' "$source_dir/packaging/$file"
    done
}

# The given packages that are not installed. One call for all of them, so that it takes no time when all are there.
missing_packages() {
    local installed package
    installed=$'\n'$(dpkg-query -W -f='${db:Status-Status} ${Package}\n' "$@" 2>/dev/null || true)$'\n'
    for package in "$@"; do
        [[ $installed == *$'\n'"installed $package"$'\n'* ]] || printf '%s\n' "$package"
    done
}

as_root() {
    if [[ $(id -u) -eq 0 ]]; then
        "$@"
    else
        sudo "$@"
    fi
}

apt_get() {
    as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3 -q "$@"
}

knows_packages() {
    local package
    for package in "$@"; do
        [[ -n $(apt-cache madison "$package" 2>/dev/null) ]] || return 1
    done
}

install_packages() {
    local -a wanted=("$@") missing
    if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
        command -v cmake >/dev/null && command -v ninja >/dev/null && return
        fail "This system has no apt-get, so what Fermata is built with cannot be installed from here." \
            "Install the equivalents of these Debian packages by hand and start again:" "${wanted[*]}"
    fi
    mapfile -t missing < <(missing_packages "${wanted[@]}")
    [[ ${#missing[@]} -gt 0 ]] || return 0

    if [[ $(id -u) -ne 0 ]] && ! command -v sudo >/dev/null; then
        fail "Packages are missing, and without sudo they cannot be installed from here." \
            "Ask someone with root rights to run this, then start again:" \
            "apt-get update && apt-get install --no-install-recommends ${missing[*]}"
    fi
    if ! knows_packages "${missing[@]}"; then
        local package
        local -a unknown=()
        say "Reading the package lists"
        if ! apt_get -o APT::Update::Error-Mode=any update >&2 && ! knows_packages "${missing[@]}"; then
            fail "The package lists could not be read. The lines above say which server could not be reached." \
                "Check the network connection and start again."
        fi
        for package in "${missing[@]}"; do
            knows_packages "$package" || unknown+=("$package")
        done
        [[ ${#unknown[@]} -eq 0 ]] || fail "The package sources do not have: ${unknown[*]}" \
            "Fermata is built on Debian 12 and newer systems of that family. See the files in /etc/apt."
    fi
    say "Installing: ${missing[*]}"
    # Lists that are old name versions that are gone: read them anew and try once more.
    apt_get install -y --no-install-recommends "${missing[@]}" >&2 \
        || { apt_get update >&2 && apt_get install -y --no-install-recommends "${missing[@]}" >&2; } \
        || fail "Not all packages could be installed. The lines above say why; without a network, connect and start again."
}

# As many compilers as there are processors, but no more than the memory holds.
jobs() {
    local processors memory
    processors=$(nproc)
    memory=$(awk '/^MemAvailable:/ { print int($2 / 1048576) }' /proc/meminfo)
    (( memory < 1 )) && memory=1
    echo $(( processors < memory ? processors : memory ))
}

# configure FOLDER OPTIONS...: only if the options are not those of the last time.
configure() {
    local folder=$source_dir/build/$1 options
    shift
    options=$(printf '%s\n' "$source_dir" "$@")
    if ! mkdir -p "$folder" 2>/dev/null || [[ ! -w $folder ]] || [[ -e $folder/.ninja_log && ! -w $folder/.ninja_log ]]; then
        fail "The folder $folder cannot be written to." "Was it made by another user? Then delete it and start again."
    fi
    if [[ -f $folder/build.ninja && -f $folder/fermata-options && $(<"$folder/fermata-options") == "$options" ]]; then
        return
    fi
    say "Configuring $folder"
    rm -f "$folder/fermata-options"
    # A cache of another source folder or generator cannot be used.
    [[ -f $folder/build.ninja ]] || rm -rf "$folder/CMakeCache.txt" "$folder/CMakeFiles"
    cmake -G Ninja -S "$source_dir" -B "$folder" "$@" >"$folder/configure.log" 2>&1 || {
        tail -n 40 "$folder/configure.log" >&2
        fail "The build could not be configured. The whole output is in $folder/configure.log."
    }
    printf '%s\n' "$options" >"$folder/fermata-options"
}

# build FOLDER TARGETS...
build() {
    local folder=$source_dir/build/$1
    shift
    say "Building in $folder"
    ninja -C "$folder" -j "$(jobs)" "$@" >&2 || fail "The build failed. The lines above say where."
}
