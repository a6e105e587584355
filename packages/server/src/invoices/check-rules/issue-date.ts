/** Check 14: not issued later than the day of acceptance, both as days of Warsaw; comparing in UTC is wrong near midnight. */
import { warsawDay } from '@kwit/contract/date-time';

export function issueDateProblem(issueDate: string, invoicingDate: number): string | undefined {
  const day = warsawDay(invoicingDate);
  if (issueDate <= day) return undefined;
  return `The issue date ${issueDate} is later than the day of acceptance ${day} (Europe/Warsaw).`;
}
