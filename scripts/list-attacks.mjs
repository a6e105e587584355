// Prints the corpus of attacks on signatures as the table that stands in SECURITY.md. Run with the repository's own Node:
//   npm run --silent security:attacks
import { ATTACKS } from '../packages/server/src/auth/xades/attack-corpus.fixture.ts';

for (const { name, code } of ATTACKS) console.log(`| ${name} | ${code} |`);
