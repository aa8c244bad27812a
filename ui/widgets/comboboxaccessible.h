// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace fermata {

// From now on a combo box with an accessible name is told to assistive technology as "Connect, unit: seconds". Qt gives
// the chosen text for its name on Linux, so that nobody hears what is being chosen. Before the first box is made; again does no harm.
void installComboBoxAccessible();

} // namespace fermata
