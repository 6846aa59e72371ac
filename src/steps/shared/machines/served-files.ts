import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { RhcosImages } from '../../../artifacts/shared/files.ts';
import {
  BOOT_SCRIPT_PATH,
  bootUrl,
  ignitionPath,
  imagePath,
  nodeScriptPath,
} from '../../../artifacts/shared/layout.ts';
import { httpProbe } from '../../../bastion/probes/probes.ts';
import type { Served } from '../../../diagnosis/served.ts';
import { SECOND } from '../../../ports/clock.ts';
import { catalogue } from '../../../text/catalogue.ts';
import type { StepContext } from '../../contract.ts';
import { imageFiles } from '../installer/images.ts';

const TIMEOUT = 3 * SECOND;

/** Asks the boot server for the head of a file, at the address that the nodes use. */
export async function askFile(context: StepContext, path: string): Promise<Served> {
  const { status, detail } = await httpProbe(
    context.reach,
    context.clock,
    `${bootUrl(context.design)}${path}`,
    TIMEOUT,
  );
  return { path, isThere: status === 200, detail };
}

/**
 * The files that machines will ask for and not get: scripts, images (as long as they are here) and, from another web
 * server, the ignition files, which must exist and be refused to us. A machine that misses one of these stops halfway.
 */
export async function unservedFiles(
  context: StepContext,
  images: RhcosImages,
  server: 'ours' | 'other',
): Promise<readonly Served[]> {
  const { design } = context;
  const scripts = design.nodes.map((node) => nodeScriptPath(node));
  const paths = design.services.boot.kind === 'ipxe' ? [BOOT_SCRIPT_PATH, ...scripts] : [];
  const asked = [
    ...paths.map((path) => askFile(context, path)),
    ...imageFiles(images).map((name) => askImage(context, name)),
    ...(server === 'other' && design.topology !== 'single-node'
      ? (['bootstrap', 'control-plane', 'compute'] as const).map((role) => askIgnition(context, ignitionPath(role)))
      : []),
  ];
  return (await Promise.all(asked)).filter(({ isThere }) => !isThere);
}

/** An image that is served shorter than the one here was cut off in copying. */
async function askImage(context: StepContext, name: string): Promise<Served> {
  const path = imagePath(name);
  const url = `${bootUrl(context.design)}${path}`;
  const { status, length, detail } = await httpProbe(context.reach, context.clock, url, TIMEOUT);
  const size = statSync(join(context.imagesDir, name), { throwIfNoEntry: false })?.size ?? null;
  const isWhole = size === null || length === null || size === length;
  return {
    path,
    isThere: status === 200 && isWhole,
    detail: isWhole ? detail : catalogue().steps.prepare.otherSize(url, length, size),
  };
}

async function askIgnition(context: StepContext, path: string): Promise<Served> {
  const { status, detail } = await httpProbe(
    context.reach,
    context.clock,
    `${bootUrl(context.design)}${path}`,
    TIMEOUT,
  );
  return { path, isThere: status === 403 || status === 200, detail };
}
