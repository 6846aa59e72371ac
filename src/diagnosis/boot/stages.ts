import { BOOT_STAGES, type BootStage } from './evidence.ts';

/** Derives the furthest stage that a machine's requests prove. */
export function deriveBootStage(
  requests: readonly { readonly path: string; readonly status: number }[],
  hasLease: boolean,
): BootStage {
  let stage: BootStage = hasLease ? 'lease' : 'off';
  for (const { path, status } of requests) {
    if (status >= 400) continue;
    const reached = parseRequestStage(path);
    if (reached !== null && BOOT_STAGES.indexOf(reached) > BOOT_STAGES.indexOf(stage)) stage = reached;
  }
  return stage;
}

/** Parses the stage that a request to the boot server proves; null if it proves none. */
export function parseRequestStage(path: string): BootStage | null {
  if (path.startsWith('/ignition/')) return 'ignition';
  if (path.startsWith('/images/')) return /rootfs|metal/.test(path) ? 'rootfs' : 'kernel';
  // The console of a machine that boots from the ISO fetches the script.
  return /\.ipxe(?:\?|$)/.test(path) || path.startsWith('/iso/') ? 'script' : null;
}
