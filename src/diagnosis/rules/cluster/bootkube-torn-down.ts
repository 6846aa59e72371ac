import { canRemoveBootstrap, diagnosticRule, matchLogLines, symptomsFromLines } from '../diagnostic-rule.ts';

/** The bootstrap waited for the control plane in vain, and starts again. */
export const bootkubeTornDown = diagnosticRule('bootkube-torn-down', 'installation', (evidence) => {
  const lines = matchLogLines(evidence, /Tearing down temporary bootstrap control plane/);
  return canRemoveBootstrap(evidence) ? [] : symptomsFromLines(lines.slice(-1), 'possible');
});
