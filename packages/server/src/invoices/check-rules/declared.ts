/** Check 2: the plain file is the one that the sender declared. */
export interface Declared {
  readonly size: number;
  /** Base64 SHA-256. */
  readonly hash: string;
}

export function declaredProblems(size: number, hash: string, declared: Declared): string[] {
  const problems: string[] = [];
  if (size !== declared.size) {
    problems.push(`Rozmiar faktury nie zgadza się z zadeklarowaną wartością: '${declared.size}'.`);
  }
  if (hash !== declared.hash) {
    problems.push(`Skrót faktury nie zgadza się z zadeklarowaną wartością: '${declared.hash}'.`);
  }
  return problems;
}
