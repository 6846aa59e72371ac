import { cause, clueOfLines, hasBootstrapped, told } from '../cause.ts';

/** The bootstrap waited for the control plane in vain, and begins again. */
export const bootkubeTornDown = cause('bootkube-torn-down', 'installation', (evidence) => {
  const lines = told(evidence, /Tearing down temporary bootstrap control plane/);
  return hasBootstrapped(evidence) ? [] : clueOfLines(lines.slice(-1), 'possible');
});
