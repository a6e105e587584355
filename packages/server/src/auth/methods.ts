/** How a subject proved who it is (auth.md 11.3), in neutral names. The frame turns `svc` into the configured name. */
export type AuthenticationMethod =
  | 'Token'
  | 'TrustedProfile'
  | 'InternalCertificate'
  | 'QualifiedSignature'
  | 'QualifiedSeal'
  | 'PersonalSignature'
  | 'PeppolSignature';

export type MethodCategory = 'XadesSignature' | 'NationalNode' | 'Token' | 'Other';

export interface MethodInfo {
  category: MethodCategory;
  code: string;
  displayName: string;
}

export const METHODS: Readonly<Record<AuthenticationMethod, MethodInfo>> = {
  Token: { category: 'Token', code: 'token.svc', displayName: 'Token Svc' },
  QualifiedSeal: { category: 'XadesSignature', code: 'xades.qualified-seal', displayName: 'Pieczęć kwalifikowana' },
  QualifiedSignature: {
    category: 'XadesSignature',
    code: 'xades.qualified-signature',
    displayName: 'Podpis kwalifikowany',
  },
  PersonalSignature: { category: 'XadesSignature', code: 'xades.personal-signature', displayName: 'Podpis osobisty' },
  PeppolSignature: {
    category: 'XadesSignature',
    code: 'xades.peppol-signature',
    displayName: 'Podpis dostawcy usług Peppol',
  },
  InternalCertificate: { category: 'XadesSignature', code: 'xades.svc-certificate', displayName: 'Certyfikat Svc' },
  TrustedProfile: { category: 'XadesSignature', code: 'xades.trusted-profile', displayName: 'Profil Zaufany' },
};

export function methodInfo(method: string): MethodInfo {
  return (
    METHODS[method as AuthenticationMethod] ?? { category: 'Other', code: method.toLowerCase(), displayName: method }
  );
}
