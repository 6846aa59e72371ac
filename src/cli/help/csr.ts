import type { RequestVerdict } from '../../checks/certificates.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { MANUAL_REASONS, type ReasonCode } from '../../steps/shared/reference.ts';
import { type Block, heading, termsFromTable, text } from './page.ts';

/** Returns the verdicts on certificate requests, and every reason code with its sentence. */
export function csrPage(): readonly Block[] {
  const { intro, verdictsTitle, reasonsTitle, manual, followTitle, follow } = catalogue().help.csr;
  const verdicts: Readonly<Record<RequestVerdict, string>> = catalogue().help.csr.verdicts;
  const reasons: Readonly<Record<ReasonCode, string>> = catalogue().csr.reasons;
  return [
    text(intro),
    heading(verdictsTitle),
    termsFromTable(verdicts),
    heading(reasonsTitle),
    termsFromTable(reasons),
    text(manual([...MANUAL_REASONS].join(', '))),
    heading(followTitle),
    text(follow),
  ];
}
