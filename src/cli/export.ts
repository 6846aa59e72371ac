import { join, resolve } from 'node:path';
import type { Design } from '../design/model.ts';
import { parseDesign } from '../design/parse.ts';
import { toMinorVersion } from '../design/versions.ts';
import { catalogue } from '../i18n/catalogue.ts';
import { describeUnreadableFile } from '../i18n/user-error.ts';
import { formatJson, sanitizeLine } from '../platform/sanitize.ts';
import type { StepContext } from '../steps/contract.ts';
import { exportAnsible } from '../steps/export-ansible.ts';
import { exportDownloads } from '../steps/export-downloads.ts';
import { exportNodeImage, exportNodeImageOfDesign, type NodeImageResult } from '../steps/export-node-image.ts';
import type { Arguments } from './commands.ts';
import { type ClusterTarget, verifyDesign, withClusterTarget } from './shared/cluster-target.ts';
import type { CommandContext } from './shared/context.ts';
import { readDesignText } from './shared/design-file.ts';
import { UsageError } from './shared/io.ts';
import type { ProcessIo } from './shared/process-io.ts';
import { createRuntime, type Programs } from './shared/runtime.ts';

const words = () => catalogue().export;

/**
 * `upi-wizard export ansible DIR [--dir D] [--force] [--json]`: exports the services of an install directory as an
 * inventory and roles.
 * @returns 3 the design has errors; 4 files that need a missing credential were left out; 5 the user changed a file of
 *   an earlier export
 */
export async function ansibleCommand(
  { options, operand: target }: Arguments<'export ansible'>,
  { openIo, launcher }: CommandContext,
): Promise<number> {
  const io = await openIo();
  const outputDir = resolve(io.cwd, target);
  const requirements = { isFilesOnly: true };
  return await withClusterTarget(
    { dir: options.dir, isDirectoryOnly: true },
    io,
    launcher.programs,
    async ({ session }) => {
      if (session === null) return 3;
      const { files, ...result } = await exportAnsible(session.context, outputDir, { force: options.force });
      const { refused, saved, kept, leftOut, written, removed } = result;
      for (const file of refused) io.stderr(words().edited(sanitizeLine(join(outputDir, file))));
      for (const { file, as } of saved) io.stderr(words().saved(sanitizeLine(join(outputDir, file)), as));
      for (const file of kept) io.stderr(words().obsoleteFile(sanitizeLine(join(outputDir, file))));
      for (const path of leftOut) io.stderr(words().leftOut(path));
      if (options.json) io.stdout(formatJson({ dir: outputDir, files, ...result }));
      else if (refused.length > 0) io.stderr(words().stopped);
      else io.stdout(words().summary(sanitizeLine(outputDir), files, written.length, removed.length));
      return refused.length > 0 ? 5 : leftOut.length > 0 ? 4 : 0;
    },
    requirements,
  );
}

/**
 * `upi-wizard export downloads [FILE | --dir D] [--imageset | --json]`: prints a script that fetches what an
 * installation needs from the internet, or the same as JSON, or an ImageSetConfiguration. Uses no network.
 * @returns 3 the design has errors; 4 there is no ImageSetConfiguration for the release
 */
export async function downloadsCommand(
  { options, operand: file }: Arguments<'export downloads'>,
  { openIo, launcher }: CommandContext,
): Promise<number> {
  const { downloads } = words();
  if (options.imageset && options.json) throw new UsageError(downloads.jsonOrImageSet);
  const io = await openIo();
  const printDownloads = async (design: Design, dir: string) => {
    // Even for a rehearsal, uses the real openshift-install: the stand-in names files that do not exist.
    const { programDirectories, imagesDir } = createRuntime(dir);
    const format = options.imageset ? 'imageset' : options.json ? 'json' : 'script';
    io.stdout(await exportDownloads({ design, programDirectories, imagesDir }, format));
    return 0;
  };
  return await withExportedDesign(file, options.dir, io, launcher.programs, {
    printForFile: printDownloads,
    printForSession: ({ design, dir }) => printDownloads(design, dir),
  });
}

/**
 * `upi-wizard export node-image [FILE | --dir D] [--json]`: prints a script that adds nodes with `oc adm
 * node-image`, or the same as JSON. With an install directory, it reads the nodes of the cluster.
 * @returns 3 the design has errors; 4 the version has no such images, or every node has joined
 */
export async function nodeImageCommand(
  { options, operand: file }: Arguments<'export node-image'>,
  { openIo, launcher }: CommandContext,
): Promise<number> {
  const io = await openIo();
  return await withExportedDesign(file, options.dir, io, launcher.programs, {
    printForFile: (design, dir, path) => printNodeImage(exportNodeImageOfDesign(design, path, dir), options.json, io),
    printForSession: async (context) => printNodeImage(await exportNodeImage(context), options.json, io),
  });
}

function printNodeImage(nodeImageResult: NodeImageResult, isJson: boolean, io: ProcessIo): number {
  const { nodeImage } = words();
  if (nodeImageResult.state === 'unsupported') {
    io.stderr(nodeImage.unsupported(toMinorVersion(nodeImageResult.version)));
    return 4;
  }
  if (nodeImageResult.state === 'no-nodes') {
    io.stderr(nodeImageResult.isCompared ? nodeImage.allJoined : nodeImage.noNodes);
    return 4;
  }
  const { result } = nodeImageResult;
  if (!result.isCompared) io.stderr(nodeImage.notCompared(result.nodes.length));
  for (const { node, kind, value } of result.openDetails)
    io.stderr(nodeImage.openDetails[kind](sanitizeLine(node), sanitizeLine(value)));
  io.stdout(isJson ? formatJson(result) : result.script);
  return 0;
}

/**
 * Calls `printForFile` with the design of a file, or `printForSession` with an install directory.
 * @returns the exit code of that function; 3 if the design has errors
 */
async function withExportedDesign(
  file: string | undefined,
  dir: string | undefined,
  io: ProcessIo,
  programs: Programs,
  {
    printForFile,
    printForSession,
  }: {
    /** `path` is null for the standard input. */
    readonly printForFile: (design: Design, dir: string, path: string | null) => number | Promise<number>;
    readonly printForSession: (context: StepContext) => Promise<number>;
  },
): Promise<number> {
  if (file !== undefined && dir !== undefined) throw new UsageError(words().fileAndDirectory);
  if (file === undefined) {
    const target = { dir, isDirectoryOnly: true } as const;
    const exportSession = async ({ session }: ClusterTarget) =>
      session === null ? 3 : await printForSession(session.context);
    return await withClusterTarget(target, io, programs, exportSession, { isFilesOnly: true });
  }
  const namedDesign = readDesignText(file, io);
  if (namedDesign.text instanceof Error)
    throw new UsageError(describeUnreadableFile(namedDesign.name, namedDesign.text));
  const { design, problems } = parseDesign(namedDesign.text);
  return verifyDesign(design, problems, namedDesign.name, io)
    ? await printForFile(design, namedDesign.dir, namedDesign.path)
    : 3;
}
