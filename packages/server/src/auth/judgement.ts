import type { SubjectIdentifier } from '../platform/caller.ts';
import type { End } from './statuses.ts';

/** What processing concluded: an end with what goes with it, or another try later. */
export type Judgement =
  | { retryAt: number }
  | {
      end: End;
      /** Found out on the way, where the submission could not know it. */
      subject?: SubjectIdentifier;
      systemToken?: string;
      usedToken?: string;
      usedCertificate?: string;
      /** A Peppol provider that logged in. */
      provider?: { id: string; name: string };
    };
