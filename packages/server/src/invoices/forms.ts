/** What the server knows about a document type beyond the contract: its family of readers and its schema file. */
import { INVOICE_FORMS, type InvoiceForm, type SystemCode } from '@kwit/contract/invoice-forms';

export interface Form extends InvoiceForm {
  readonly systemCode: SystemCode;
  readonly family: 'FA' | 'RR' | 'PEF';
  /** Root schema below the schema folder. */
  readonly schema: string;
}

const SCHEMAS: Readonly<Record<SystemCode, Pick<Form, 'family' | 'schema'>>> = {
  'FA (2)': { family: 'FA', schema: 'FA/schemat_FA(2)_v1-0E.xsd' },
  'FA (3)': { family: 'FA', schema: 'FA/schemat_FA(3)_v1-0E.xsd' },
  'FA_RR (1)': { family: 'RR', schema: 'RR/schemat_FA_RR(1)_v1-1E.xsd' },
  'PEF (3)': { family: 'PEF', schema: 'PEF/Schemat_PEF(3)_v2-1.xsd' },
  'PEF_KOR (3)': { family: 'PEF', schema: 'PEF/Schemat_PEF_KOR(3)_v2-1.xsd' },
};

export const FORMS: Readonly<Record<SystemCode, Form>> = Object.fromEntries(
  INVOICE_FORMS.map((form) => [form.systemCode, { ...form, ...SCHEMAS[form.systemCode] }]),
) as Record<SystemCode, Form>;

/** The form a document shows itself to be. Only for checks without a session: in one, the session's form decides. */
export function formOfRoot(root: string, namespace: string): Form | undefined {
  return Object.values(FORMS).find((form) => form.root === root && form.namespace === namespace);
}
