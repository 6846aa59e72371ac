import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { catalogue } from '../../text/catalogue.ts';
import { shellWord } from '../../text/shell-word.ts';
import type { StepContext } from '../contract.ts';

/** How `oc` in another terminal reaches a simulated cluster, as lines; none in life, where auth/kubeconfig does, and before there is one. */
export function ocLines({ clockAnchorFile }: Pick<StepContext, 'clockAnchorFile'>): string[] {
  const file = clockAnchorFile === null ? null : join(dirname(clockAnchorFile), 'oc-kubeconfig');
  return file === null || !existsSync(file) ? [] : ['', catalogue().diagnose.ocHere(shellWord(file))];
}
