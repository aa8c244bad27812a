# SPDX-License-Identifier: GPL-3.0-or-later
# One place for what every target is compiled with.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)

set(FERMATA_SANITIZER "" CACHE STRING "Build under a sanitizer: address or thread")
set_property(CACHE FERMATA_SANITIZER PROPERTY STRINGS "" address thread)

add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual)
# Off for who only wants to run it: a newer compiler may warn of more.
option(FERMATA_WARNINGS_AS_ERRORS "Warnings end the build" ON)
if(FERMATA_WARNINGS_AS_ERRORS)
    add_compile_options(-Werror)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # When it optimises, GCC 12 takes ordinary string code of the standard library for overlapping copies, and the empty
    # alternatives of a variant for something uninitialised.
    add_compile_options(-Wno-restrict -Wno-maybe-uninitialized)
endif()
add_compile_definitions(
    QT_NO_CAST_FROM_ASCII QT_NO_CAST_TO_ASCII QT_NO_URL_CAST_FROM_STRING QT_NO_FOREACH
    QT_DISABLE_DEPRECATED_BEFORE=0x060400)

if(FERMATA_SANITIZER STREQUAL "address")
    add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
    add_link_options(-fsanitize=address,undefined)
elseif(FERMATA_SANITIZER STREQUAL "thread")
    add_compile_options(-fsanitize=thread -fno-omit-frame-pointer)
    add_link_options(-fsanitize=thread)
    # GCC warns that std::atomic_thread_fence is not seen by ThreadSanitizer; Fermata uses none.
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
        add_compile_options(-Wno-tsan)
    endif()
endif()

find_program(FERMATA_MOLD mold)
if(FERMATA_MOLD)
    add_link_options(-fuse-ld=mold)
endif()

find_program(FERMATA_CCACHE ccache)
if(FERMATA_CCACHE)
    set(CMAKE_CXX_COMPILER_LAUNCHER ${FERMATA_CCACHE})
endif()
