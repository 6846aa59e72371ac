import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { RhcosImages } from '../../../artifacts/boot/images.ts';
import {
  BOOT_SCRIPT_PATH,
  bootUrl,
  ignitionPath,
  imagePath,
  nodeScriptPath,
} from '../../../artifacts/shared/generator.ts';
import type { ServedFile } from '../../../checks/files.ts';
import { catalogue } from '../../../i18n/catalogue.ts';
import { SECOND } from '../../../platform/clock.ts';

import { probeHttp } from '../../../probes/http-probe.ts';
import type { StepContext } from '../../contract.ts';
import { listImageFiles } from '../installer/images.ts';

const TIMEOUT = 3 * SECOND;

/** Requests the head of a file from the boot server, at the address that the nodes use. */
export async function probeFile(context: StepContext, path: string): Promise<ServedFile> {
  const { status, detail } = await probeHttp(
    context.resolveEndpoint,
    context.clock,
    `${bootUrl(context.design)}${path}`,
    TIMEOUT,
  );
  return { path, isThere: status === 200, detail };
}

/**
 * Finds the files that machines will request and not get: scripts, images (if they exist here) and, from another web
 * server, the ignition files, which must exist and be refused to us. A machine that lacks one of these stops halfway.
 */
export async function findUnservedFiles(
  context: StepContext,
  images: RhcosImages,
  server: 'ours' | 'other',
): Promise<readonly ServedFile[]> {
  const { design } = context;
  const scripts = design.nodes.map((node) => nodeScriptPath(node));
  const paths = design.services.boot.kind === 'ipxe' ? [BOOT_SCRIPT_PATH, ...scripts] : [];
  const probes = [
    ...paths.map((path) => probeFile(context, path)),
    ...listImageFiles(images).map((name) => probeImage(context, name)),
    ...(server === 'other' && design.topology !== 'single-node'
      ? (['bootstrap', 'control-plane', 'compute'] as const).map((role) => probeIgnition(context, ignitionPath(role)))
      : []),
  ];
  return (await Promise.all(probes)).filter(({ isThere }) => !isThere);
}

/** An image that is served shorter than the one here was truncated while it was copied. */
async function probeImage(context: StepContext, name: string): Promise<ServedFile> {
  const path = imagePath(name);
  const url = `${bootUrl(context.design)}${path}`;
  const { status, length, detail } = await probeHttp(context.resolveEndpoint, context.clock, url, TIMEOUT);
  const size = statSync(join(context.imagesDir, name), { throwIfNoEntry: false })?.size ?? null;
  const isWhole = size === null || length === null || size === length;
  return {
    path,
    isThere: status === 200 && isWhole,
    detail: isWhole ? detail : catalogue().steps.prepare.otherSize(url, length, size),
  };
}

async function probeIgnition(context: StepContext, path: string): Promise<ServedFile> {
  const { status, detail } = await probeHttp(
    context.resolveEndpoint,
    context.clock,
    `${bootUrl(context.design)}${path}`,
    TIMEOUT,
  );
  return { path, isThere: status === 403 || status === 200, detail };
}
