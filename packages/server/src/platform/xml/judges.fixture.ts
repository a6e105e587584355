/** Independent tools that sign and verify XML for the tests: xmlsec1 and the JDK. A missing one is reported by name. */
import { execFileSync, spawnSync } from 'node:child_process';
import { createPublicKey, type KeyObject } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const works = (command: string, ...args: string[]) => spawnSync(command, args).status === 0;

export const hasXmlsec = works('xmlsec1', '--version');
export const hasJdk = works('javac', '-version') && works('java', '-version');

export interface JudgeKey {
  privateKey: KeyObject;
  certificate: Buffer;
}

const DSIG = 'http://www.w3.org/2000/09/xmldsig#';
const XADES = 'http://uri.etsi.org/01903/v1.3.2#';
const IDS = [`${DSIG}:Object`, `${DSIG}:Signature`, `${XADES}:SignedProperties`, `${DSIG}:KeyInfo`].flatMap((name) => [
  '--id-attr:Id',
  name,
]);

export function scratch(): { path: (name: string) => string; remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'kwit-xml-'));
  return { path: (name) => join(folder, name), remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Without the certificates that the machine trusts, which nobody asks for here: reading them takes most of its time. */
function xmlsec(...args: string[]) {
  return spawnSync('xmlsec1', args, {
    env: { ...process.env, SSL_CERT_FILE: '/dev/null', SSL_CERT_DIR: '/nonexistent' },
  });
}

/** Fills the digests and the value of a signature template. Gives undefined with xmlsec1's words when it cannot. */
export function xmlsecSign(template: string, key: JudgeKey): { signed: Buffer } | { failed: string } {
  const files = scratch();
  try {
    writeFileSync(files.path('template.xml'), template);
    writeFileSync(files.path('key.pem'), key.privateKey.export({ type: 'pkcs8', format: 'pem' }));
    const run = xmlsec(
      '--sign',
      '--privkey-pem',
      files.path('key.pem'),
      ...IDS,
      '--output',
      files.path('signed.xml'),
      files.path('template.xml'),
    );
    if (run.status !== 0) return { failed: run.stderr.toString() };
    return { signed: readFileSync(files.path('signed.xml')) };
  } finally {
    files.remove();
  }
}

/** Empty when the signature verifies, else what xmlsec1 says. `rootId` names an element with an Id besides the usual ones. */
export function xmlsecVerify(xml: Uint8Array, key: JudgeKey): string {
  const files = scratch();
  try {
    writeFileSync(files.path('signed.xml'), xml);
    const pem = createPublicKey(key.privateKey).export({ type: 'spki', format: 'pem' });
    writeFileSync(files.path('key.pem'), pem);
    const run = xmlsec('--verify', '--pubkey-pem', files.path('key.pem'), ...IDS, files.path('signed.xml'));
    return run.status === 0 ? '' : run.stderr.toString() || 'xmlsec1 failed';
  } finally {
    files.remove();
  }
}

export interface JdkSignTask {
  xml: string;
  key: JudgeKey;
  signatureMethod: string;
  digestMethod: string;
  c14n: string;
  form: 'enveloped' | 'enveloping' | 'enveloping-base64';
  /** Names known to the program below, or URIs of canonicalisations. */
  transforms: readonly string[];
  /** `xades:QualifyingProperties` with its namespaces declared. */
  qualifyingProperties: string;
}

export interface Jdk {
  sign(tasks: readonly JdkSignTask[]): ({ signed: Buffer } | { failed: string })[];
  /** Empty for each signature that verifies, else the JDK's words. */
  verify(tasks: readonly { xml: Uint8Array; key: JudgeKey }[]): string[];
  remove(): void;
}

/** Compiles the program once; each call runs one JVM over all of its tasks. */
export function startJdk(): Jdk {
  const files = scratch();
  writeFileSync(files.path('Judge.java'), JUDGE_JAVA);
  const quick = ['-J-XX:TieredStopAtLevel=1', '-J-XX:+UseSerialGC', '-proc:none', '-nowarn'];
  execFileSync('javac', [...quick, '-d', files.path(''), files.path('Judge.java')], { stdio: 'pipe' });
  let count = 0;
  const file = (content: Uint8Array | string) => {
    const path = files.path(`f${++count}`);
    writeFileSync(path, content);
    return path;
  };
  const run = (lines: readonly (readonly string[])[]) => {
    const tasks = file(lines.map((fields) => fields.join('\t')).join('\n'));
    const quick = ['-Xshare:auto', '-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC'];
    return execFileSync('java', [...quick, '-cp', files.path(''), 'Judge', tasks], {
      maxBuffer: 64 * 1024 * 1024,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
      .toString()
      .trimEnd()
      .split('\n');
  };
  return {
    sign(tasks) {
      const outputs = tasks.map(() => files.path(`f${++count}`));
      const answers = run(
        tasks.map((t, i) => [
          'sign',
          file(t.xml),
          outputs[i] as string,
          file(t.key.privateKey.export({ type: 'pkcs8', format: 'der' })),
          file(t.key.certificate),
          t.key.privateKey.asymmetricKeyType === 'ec' ? 'EC' : 'RSA',
          t.signatureMethod,
          t.digestMethod,
          t.c14n,
          t.form,
          t.transforms.join(','),
          file(t.qualifyingProperties),
        ]),
      );
      return answers.map((answer, i) =>
        answer === 'ok' ? { signed: readFileSync(outputs[i] as string) } : { failed: answer },
      );
    },
    verify(tasks) {
      const answers = run(tasks.map((t) => ['verify', file(t.xml), file(t.key.certificate)]));
      return answers.map((answer) => (answer === 'ok' ? '' : answer));
    },
    remove: files.remove,
  };
}

const JUDGE_JAVA = String.raw`
import java.io.*;
import java.nio.file.*;
import java.security.*;
import java.security.cert.*;
import java.security.spec.*;
import java.util.*;
import javax.xml.crypto.*;
import javax.xml.crypto.dom.*;
import javax.xml.crypto.dsig.*;
import javax.xml.crypto.dsig.dom.*;
import javax.xml.crypto.dsig.keyinfo.*;
import javax.xml.crypto.dsig.spec.*;
import javax.xml.parsers.*;
import javax.xml.transform.*;
import javax.xml.transform.dom.*;
import javax.xml.transform.stream.*;
import org.w3c.dom.*;

public class Judge {
  static final String DS = "http://www.w3.org/2000/09/xmldsig#";

  public static void main(String[] args) throws Exception {
    for (String line : Files.readAllLines(Paths.get(args[0]))) {
      String[] f = line.split("\t", -1);
      String answer;
      try {
        answer = f[0].equals("sign") ? sign(f) : verify(f);
      } catch (Throwable t) {
        Throwable c = t;
        while (c.getCause() != null) c = c.getCause();
        answer = "fail " + t + " / " + c;
      }
      System.out.println(answer.replace('\n', ' '));
    }
  }

  static Document parse(String path) throws Exception {
    DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
    factory.setNamespaceAware(true);
    return factory.newDocumentBuilder().parse(new File(path));
  }

  static X509Certificate certificate(String path) throws Exception {
    try (InputStream in = new FileInputStream(path)) {
      return (X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(in);
    }
  }

  static Transform transform(XMLSignatureFactory factory, String name) throws Exception {
    Map<String, String> ds = Collections.singletonMap("ds", DS);
    // Not "ds": the JDK gives its filter elements that prefix for another namespace.
    Map<String, String> sig = Collections.singletonMap("sig", DS);
    switch (name) {
      case "enveloped": return factory.newTransform(Transform.ENVELOPED, (TransformParameterSpec) null);
      case "base64": return factory.newTransform(Transform.BASE64, (TransformParameterSpec) null);
      case "xpath": return factory.newTransform(Transform.XPATH, new XPathFilterParameterSpec("not(ancestor-or-self::ds:Signature)", ds));
      case "filter2": return factory.newTransform(Transform.XPATH2, new XPathFilter2ParameterSpec(
        Collections.singletonList(new XPathType("/descendant::sig:Signature", XPathType.Filter.SUBTRACT, sig))));
      case "filter2-here": return factory.newTransform(Transform.XPATH2, new XPathFilter2ParameterSpec(
        Collections.singletonList(new XPathType("here()/ancestor::sig:Signature[1]", XPathType.Filter.SUBTRACT, sig))));
      case "filter2-two": return factory.newTransform(Transform.XPATH2, new XPathFilter2ParameterSpec(Arrays.asList(
        new XPathType("/*", XPathType.Filter.INTERSECT, sig),
        new XPathType("//sig:Signature", XPathType.Filter.SUBTRACT, sig))));
      case "exclusive-prefixes": return factory.newTransform(CanonicalizationMethod.EXCLUSIVE,
        new ExcC14NParameterSpec(Arrays.asList("xsi", "unused", "#default")));
      default: return factory.newTransform(name, (TransformParameterSpec) null);
    }
  }

  static String sign(String[] f) throws Exception {
    PrivateKey key = KeyFactory.getInstance(f[5]).generatePrivate(new PKCS8EncodedKeySpec(Files.readAllBytes(Paths.get(f[3]))));
    X509Certificate certificate = certificate(f[4]);
    XMLSignatureFactory factory = XMLSignatureFactory.getInstance("DOM");
    boolean enveloped = f[9].equals("enveloped");
    Document source = parse(f[1]);
    Document target = enveloped ? source : DocumentBuilderFactory.newInstance().newDocumentBuilder().newDocument();
    DigestMethod digest = factory.newDigestMethod(f[7], null);
    List<Transform> transforms = new ArrayList<>();
    for (String name : f[10].split(",")) if (!name.isEmpty()) transforms.add(transform(factory, name));
    List<Reference> references = new ArrayList<>();
    references.add(factory.newReference(enveloped ? "" : "#Request", digest, transforms, null, null));
    references.add(factory.newReference("#SignedProperties", digest,
      Collections.singletonList(factory.newTransform(CanonicalizationMethod.EXCLUSIVE, (TransformParameterSpec) null)),
      "http://uri.etsi.org/01903#SignedProperties", null));
    SignedInfo signedInfo = factory.newSignedInfo(
      factory.newCanonicalizationMethod(f[8], (C14NMethodParameterSpec) null),
      factory.newSignatureMethod(f[6], null), references);
    KeyInfoFactory keyInfos = factory.getKeyInfoFactory();
    KeyInfo keyInfo = keyInfos.newKeyInfo(Collections.singletonList(
      keyInfos.newX509Data(Collections.singletonList(certificate))));
    List<XMLObject> objects = new ArrayList<>();
    if (!enveloped) {
      XMLStructure content = f[9].equals("enveloping")
        ? new DOMStructure(target.importNode(source.getDocumentElement(), true))
        : new DOMStructure(target.createTextNode(Base64.getMimeEncoder().encodeToString(Files.readAllBytes(Paths.get(f[1])))));
      objects.add(factory.newXMLObject(Collections.singletonList(content), "Request", null, null));
    }
    Element qualifying = (Element) target.importNode(parse(f[11]).getDocumentElement(), true);
    objects.add(factory.newXMLObject(Collections.singletonList(new DOMStructure(qualifying)), null, null, null));
    DOMSignContext context = enveloped
      ? new DOMSignContext(key, target.getDocumentElement()) : new DOMSignContext(key, target);
    context.setDefaultNamespacePrefix("ds");
    context.setProperty("org.jcp.xml.dsig.secureValidation", Boolean.FALSE);
    Element properties = (Element) qualifying.getElementsByTagNameNS("*", "SignedProperties").item(0);
    context.setIdAttributeNS(properties, null, "Id");
    factory.newXMLSignature(signedInfo, keyInfo, objects, "Signature", null).sign(context);
    Transformer writer = TransformerFactory.newInstance().newTransformer();
    writer.setOutputProperty(OutputKeys.OMIT_XML_DECLARATION, "yes");
    try (OutputStream out = new FileOutputStream(f[2])) {
      writer.transform(new DOMSource(target), new StreamResult(out));
    }
    return "ok";
  }

  static String verify(String[] f) throws Exception {
    Document document = parse(f[1]);
    NodeList all = document.getElementsByTagNameNS("*", "*");
    for (int i = 0; i < all.getLength(); i++) {
      Element e = (Element) all.item(i);
      if (e.hasAttributeNS(null, "Id")) e.setIdAttributeNS(null, "Id", true);
    }
    NodeList signatures = document.getElementsByTagNameNS(DS, "Signature");
    DOMValidateContext context = new DOMValidateContext(certificate(f[2]).getPublicKey(), signatures.item(0));
    context.setProperty("org.jcp.xml.dsig.secureValidation", Boolean.FALSE);
    XMLSignature signature = XMLSignatureFactory.getInstance("DOM").unmarshalXMLSignature(context);
    if (signature.validate(context)) return "ok";
    StringBuilder why = new StringBuilder("invalid: value " + signature.getSignatureValue().validate(context));
    for (Object r : signature.getSignedInfo().getReferences()) why.append(", reference ").append(((Reference) r).validate(context));
    return why.toString();
  }
}
`;
