import { createHash, type KeyObject, sign } from 'node:crypto';

const DSIG = 'http://www.w3.org/2000/09/xmldsig#';
const XADES = 'http://uri.etsi.org/01903/v1.3.2#';

/**
 * Changes a document of the client's signer and signs it anew with its P-256 key, so that shapes the signer does not make can be
 * tested. It relies on the signer writing elements in canonical form.
 */
export function resign(
  xml: string,
  privateKey: KeyObject,
  edit: {
    properties?: (properties: string) => string;
    signedInfo?: (signedInfo: string) => string;
    after?: (xml: string) => string;
  },
): string {
  const propertiesOf = (text: string) =>
    /<xades:SignedProperties[\s\S]*<\/xades:SignedProperties>/.exec(text)?.[0] ?? '';
  let changed = xml;
  if (edit.properties) {
    const before = propertiesOf(xml);
    const after = edit.properties(before);
    const canonical = after
      .replace('<xades:SignedProperties ', `<xades:SignedProperties xmlns:xades="${XADES}" `)
      .replace(/<ds:(\w+)/g, `<ds:$1 xmlns:ds="${DSIG}"`);
    const digest = createHash('sha256').update(canonical).digest('base64');
    changed = changed
      .replace(before, () => after)
      .replace(/(URI="#SignedProperties">[\s\S]*?<ds:DigestValue>)[^<]*/, (_, head) => head + digest);
  }
  const info = /<ds:SignedInfo>[\s\S]*<\/ds:SignedInfo>/.exec(changed)?.[0] ?? '';
  const edited = edit.signedInfo?.(info) ?? info;
  const value = sign('sha256', Buffer.from(edited.replace('<ds:SignedInfo>', `<ds:SignedInfo xmlns:ds="${DSIG}">`)), {
    key: privateKey,
    dsaEncoding: 'ieee-p1363',
  }).toString('base64');
  changed = changed.replace(info, () => edited).replace(/(<ds:SignatureValue>)[^<]*/, (_, head) => head + value);
  return edit.after?.(changed) ?? changed;
}

/** Adds the holder of a trusted profile to the signed properties. */
export function withTrustedProfile(xml: string, privateKey: KeyObject, pesel: string | undefined): string {
  const person = `<os:Nazwisko xmlns:os="http://crd.gov.pl/xml/schematy/osoba/2009/03/06/">Nowak</os:Nazwisko><os:Imie xmlns:os="http://crd.gov.pl/xml/schematy/osoba/2009/03/06/">Anna</os:Imie>${
    pesel === undefined
      ? ''
      : `<os:PESEL xmlns:os="http://crd.gov.pl/xml/schematy/osoba/2009/03/06/">${pesel}</os:PESEL>`
  }`;
  const role =
    '<xades:SignerRole><xades:ClaimedRoles><xades:ClaimedRole><ppzp:PodpisZP xmlns:ppzp="http://crd.gov.pl/xml/schematy/ppzp/"><ppzp:DaneZP>' +
    `<ppzp:DaneZPOsobyFizycznej>${person}</ppzp:DaneZPOsobyFizycznej></ppzp:DaneZP></ppzp:PodpisZP></xades:ClaimedRole></xades:ClaimedRoles></xades:SignerRole>`;
  return resign(xml, privateKey, {
    properties: (text) =>
      text.replace('</xades:SignedSignatureProperties>', () => `${role}</xades:SignedSignatureProperties>`),
  });
}

/** A plain XML signature: valid, but of no XAdES profile. */
export function withoutProfile(xml: string, privateKey: KeyObject): string {
  return resign(xml, privateKey, {
    signedInfo: (info) => info.replace(/<ds:Reference Type="http:\/\/uri\.etsi\.org[\s\S]*?<\/ds:Reference>/, ''),
    after: (text) => text.replace(/<ds:Object><xades:QualifyingProperties[\s\S]*?<\/ds:Object>/, ''),
  });
}
