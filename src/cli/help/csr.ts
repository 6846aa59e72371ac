import type { Verdict } from '../../diagnosis/certificates/evidence.ts';
import { MANUAL_REASONS, type ReasonCode } from '../../steps/shared/reference.ts';
import { catalogue } from '../../text/catalogue.ts';
import { type Block, heading, termsOf, text } from './page.ts';

/** The verdicts on certificate requests, and every reason code with its sentence. */
export function csrPage(): readonly Block[] {
  const { intro, verdictsTitle, reasonsTitle, manual, followTitle, follow } = catalogue().help.csr;
  const verdicts: Readonly<Record<Verdict, string>> = catalogue().help.csr.verdicts;
  const reasons: Readonly<Record<ReasonCode, string>> = catalogue().csr.reasons;
  return [
    text(intro),
    heading(verdictsTitle),
    termsOf(verdicts),
    heading(reasonsTitle),
    termsOf(reasons),
    text(manual([...MANUAL_REASONS].join(', '))),
    heading(followTitle),
    text(follow),
  ];
}
