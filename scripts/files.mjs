import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Every file under a folder whose name matches; nothing hidden, nothing installed. A folder that is not there has none. */
export function* filesUnder(folder, name) {
  let entries;
  try {
    entries = readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (error.code === 'ENOENT') return;
    throw error;
  }
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (entry.name === 'node_modules' || entry.name.startsWith('.')) continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* filesUnder(path, name);
    else if (name.test(entry.name)) yield path;
  }
}
