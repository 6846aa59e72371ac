import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { catalogue } from '../../i18n/catalogue.ts';
import { quoteShellArg } from '../../platform/shell-quoting.ts';
import type { StepContext } from '../contract.ts';

/**
 * Explains, as lines, how `oc` in another terminal connects to a simulated cluster; none on a real site, where
 * auth/kubeconfig does, and before there is a cluster.
 */
export function getKubeconfigHint({ clockAnchorFile }: Pick<StepContext, 'clockAnchorFile'>): string[] {
  const file = clockAnchorFile === null ? null : join(dirname(clockAnchorFile), 'oc-kubeconfig');
  return file === null || !existsSync(file) ? [] : ['', catalogue().diagnose.kubeconfigHint(quoteShellArg(file))];
}
