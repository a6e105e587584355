import { ArchiveRefused, type ArchiveRules } from './archive.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const latin2 = new TextDecoder('iso-8859-2');

// The upper half of code page 437, in which old programs write names into zip files.
const CP437 =
  'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0';

/** Declared UTF-8 must be UTF-8; undeclared names are UTF-8 more often than not, whatever the format says. */
export function decodeName(bytes: Buffer, otherwise: 'cp437' | 'latin2' | 'refuse'): string {
  try {
    return utf8.decode(bytes);
  } catch {
    if (otherwise === 'latin2') return latin2.decode(bytes);
    if (otherwise === 'cp437')
      return Array.from(bytes, (byte) => (byte < 128 ? String.fromCharCode(byte) : CP437[byte - 128])).join('');
    throw new ArchiveRefused('bad-name', 'The name of an entry is not UTF-8.');
  }
}

/** Names are never used as paths here; a name that would leave its folder elsewhere still marks an archive as hostile. */
export function checkName(name: string, rules: ArchiveRules): string {
  const problem = nameProblem(name, rules);
  if (problem) throw new ArchiveRefused('bad-name', `The name of an entry ${problem}: ${printable(name)}.`);
  return name.replaceAll('\\', '/');
}

function nameProblem(name: string, rules: ArchiveRules): string | undefined {
  if (name === '') return 'is empty';
  if (/\p{Cc}/u.test(name)) return 'holds a control character';
  if (/^[/\\]/.test(name)) return 'is absolute';
  if (/^[A-Za-z]:/.test(name)) return 'begins with a drive';
  if (name.split(/[/\\]/).includes('..')) return "holds a '..' segment";
  if (rules.backslash === 'refuse' && name.includes('\\')) return 'holds a backslash';
  return undefined;
}

/** Remembers names and refuses a second one that most file systems would take for the same file. */
export function nameRegister(rules: ArchiveRules): (name: string) => void {
  const seen = new Set<string>();
  return (name) => {
    if (rules.duplicates === 'allow') return;
    const key = name
      .split('/')
      .filter((segment) => segment !== '' && segment !== '.')
      .join('/')
      .normalize('NFC')
      .toLowerCase();
    if (seen.has(key)) {
      throw new ArchiveRefused(
        'duplicate-name',
        `Two entries have the same name, perhaps but for case: ${printable(name)}.`,
      );
    }
    seen.add(key);
  };
}

/** A name in a message: quoted, escaped, not endless. */
export function printable(name: string): string {
  return JSON.stringify(name.length > 128 ? `${name.slice(0, 128)}...` : name);
}
