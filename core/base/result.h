// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"

#include <QtGlobal>

#include <utility>
#include <variant>

namespace fermata {

// A value, a fault, or a cancellation: three ends, and a caller that looks for a fault never finds
// a cancellation. Ignoring a Result is a warning; where it is meant, it is written as a cast to
// void with the reason.
template <typename T>
class [[nodiscard]] Result final
{
public:
    Result(T value) : m_state(std::in_place_index<0>, std::move(value)) { }
    Result(Error error) : m_state(std::in_place_index<1>, std::move(error)) { }
    Result(const CancellationError &error) : m_state(std::in_place_index<1>, Error(error)) { }

    bool ok() const { return m_state.index() == 0; }
    explicit operator bool() const { return ok(); }
    bool isCancelled() const { return !ok() && isCancellation(error()); }
    bool isFault() const { return !ok() && !isCancelled(); }

    const T &value() const &
    {
        Q_ASSERT(ok());
        return *std::get_if<0>(&m_state);
    }
    T &value() &
    {
        Q_ASSERT(ok());
        return *std::get_if<0>(&m_state);
    }
    T &&value() &&
    {
        Q_ASSERT(ok());
        return std::move(*std::get_if<0>(&m_state));
    }
    const T &operator*() const & { return value(); }
    T &operator*() & { return value(); }
    T &&operator*() && { return std::move(*this).value(); }
    const T *operator->() const { return &value(); }
    T *operator->() { return &value(); }

    const Error &error() const
    {
        Q_ASSERT(!ok());
        return *std::get_if<1>(&m_state);
    }

private:
    std::variant<T, Error> m_state;
};

template <>
class [[nodiscard]] Result<void> final
{
public:
    Result() = default;
    Result(Error error) : m_error(std::move(error)) { }
    Result(const CancellationError &error) : m_error(Error(error)) { }

    bool ok() const { return !m_error.has_value(); }
    explicit operator bool() const { return ok(); }
    bool isCancelled() const { return !ok() && isCancellation(*m_error); }
    bool isFault() const { return !ok() && !isCancelled(); }

    const Error &error() const
    {
        Q_ASSERT(!ok());
        return *m_error;
    }

private:
    std::optional<Error> m_error;
};

} // namespace fermata
