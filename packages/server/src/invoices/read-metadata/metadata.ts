import type { BuyerIdentifierType, ThirdSubjectIdentifierType } from '@kwit/contract/enumerations';
import type { InvoiceType, SystemCode } from '@kwit/contract/invoice-forms';

export interface Identifier<Type extends string> {
  readonly type: Type;
  /** Absent for `None`. */
  readonly value?: string;
}

export interface ThirdSubject {
  readonly identifier: Identifier<ThirdSubjectIdentifierType>;
  readonly name?: string;
  /** 0 (other) to 11. */
  readonly role: number;
}

export interface AuthorizedSubject {
  readonly nip: string;
  readonly name?: string;
  /** 1 enforcement authority, 2 court bailiff, 3 tax representative. */
  readonly role: number;
}

export interface CorrectedInvoice {
  readonly number?: string;
  readonly issueDate?: string;
  /** Number that the service gave to the corrected invoice, when the document names one. */
  readonly svcNumber?: string;
}

/** Everything that the document itself says; numbers, dates of the service and hashes are the caller's. */
export interface InvoiceMetadata {
  readonly form: SystemCode;
  readonly invoiceNumber: string;
  /** `YYYY-MM-DD`. */
  readonly issueDate: string;
  readonly invoiceType: InvoiceType;
  /** Part of the uniqueness key: `RodzajFaktury`, for Peppol the invoice type. */
  readonly kind: string;
  readonly seller: { readonly nip: string; readonly name?: string };
  readonly buyer: { readonly identifier: Identifier<BuyerIdentifierType>; readonly name?: string };
  readonly thirdSubjects: readonly ThirdSubject[];
  readonly authorizedSubject?: AuthorizedSubject;
  readonly currency: string;
  /** Exact decimal texts with at least two digits behind the point; write JSON numbers from them digit for digit. */
  readonly netAmount: string;
  /** In zlotys, whatever the currency of the invoice. */
  readonly vatAmount: string;
  readonly grossAmount: string;
  readonly isSelfInvoicing: boolean;
  readonly hasAttachment: boolean;
  readonly isCashMethod: boolean;
  readonly isReverseCharge: boolean;
  readonly isSplitPayment: boolean;
  /** The buyer is a unit of local government (`JST`), or a member of a VAT group (`GV`). */
  readonly isLocalGovernmentBuyer: boolean;
  readonly isVatGroupBuyer: boolean;
  readonly corrects: readonly CorrectedInvoice[];
  /** Numbers of the advance invoices that this one settles. */
  readonly advances: readonly string[];
  readonly createdAt?: string;
  readonly system?: string;
}

export type Reading =
  | { readonly metadata: InvoiceMetadata }
  /** Values that the schema lets pass and the service cannot do without. */
  | { readonly problems: readonly string[]; readonly invoiceNumber?: string };
