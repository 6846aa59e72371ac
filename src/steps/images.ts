import type { RhcosImages } from '../artifacts/files.ts';
import { imagesFromStream, mirrorImageNames } from '../artifacts/images.ts';
import { findProgram } from '../installer/find.ts';
import { streamImages } from '../installer/openshift-install.ts';
import type { StepContext } from './contract.ts';

/**
 * The names of the RHCOS images: from the installer where there is one (the only source that cannot be wrong), else the
 * unversioned names that the mirror serves.
 */
export async function imageNames(context: Pick<StepContext, 'design' | 'programPath'>): Promise<RhcosImages> {
  const { version, architecture } = context.design.openshift;
  const program = await findProgram('openshift-install', context.programPath);
  if (program === null) return mirrorImageNames(version, architecture);
  const stream = await streamImages(program);
  // Before 4.8 the installer does not know the command.
  return stream === null ? mirrorImageNames(version, architecture) : imagesFromStream(stream, architecture);
}
