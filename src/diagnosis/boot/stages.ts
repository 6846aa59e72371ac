import { BOOT_STAGES, type BootStage } from './evidence.ts';

/** The furthest stage that a machine's requests prove. */
export function furthest(
  requests: readonly { readonly path: string; readonly status: number }[],
  hasLease: boolean,
): BootStage {
  let stage: BootStage = hasLease ? 'lease' : 'off';
  for (const { path, status } of requests) {
    if (status >= 400) continue;
    const reached = stageOf(path);
    if (reached !== null && BOOT_STAGES.indexOf(reached) > BOOT_STAGES.indexOf(stage)) stage = reached;
  }
  return stage;
}

/** What a request to the boot server proves; null for one that proves nothing. */
export function stageOf(path: string): BootStage | null {
  if (path.startsWith('/ignition/')) return 'ignition';
  if (path.startsWith('/images/')) return /rootfs|metal/.test(path) ? 'rootfs' : 'kernel';
  // Of a machine that boots from the ISO, its console fetches the script.
  return /\.ipxe(?:\?|$)/.test(path) || path.startsWith('/iso/') ? 'script' : null;
}
