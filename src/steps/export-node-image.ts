import { join } from 'node:path';
import {
  listMissingDetails,
  listNodeImageFiles,
  type MissingDetail,
  type NodeImageScriptOptions,
  renderNodeImageScript,
  renderNodesConfig,
} from '../artifacts/node-image.ts';
import { WEB_ROOT } from '../artifacts/shared/generator.ts';
import { getNodeFqdn } from '../design/derived-facts.ts';
import type { Design, DesignNode } from '../design/model.ts';
import { getVersionProfile } from '../design/versions.ts';
import { formatCommandLine } from '../i18n/catalogue.ts';
import { quoteShellArg } from '../platform/shell-quoting.ts';
import type { StepContext } from './contract.ts';
import { readSnapshot } from './shared/cluster-access.ts';
import { resolveCredentialFiles } from './shared/files/design-paths.ts';
import { getReinstalledAt, listWorkerMachines } from './shared/machines/node-facts.ts';
import { workspace } from './shared/workspace.ts';

/** The nodes that `oc adm node-image create` can add to a running cluster, and the files and script for it. */
interface ExportedNodeImage {
  /** The version of the cluster; that of the design if the API does not answer. */
  readonly version: string;
  /** Files that oc creates: for PXE, or an ISO. */
  readonly files: readonly string[];
  /** Whether the nodes of the cluster were read: only those that have not joined are listed. */
  readonly isCompared: boolean;
  readonly nodes: readonly {
    readonly name: string;
    readonly fqdn: string;
    readonly mac: string;
    readonly ip: readonly string[];
  }[];
  /** Parts of the configuration that the design does not know. */
  readonly openDetails: readonly MissingDetail[];
  /** Text of nodes-config.yaml. */
  readonly nodesConfig: string;
  readonly script: string;
}

/** Result: the export, or why there is none. */
export type NodeImageResult =
  | { readonly state: 'exported'; readonly result: ExportedNodeImage }
  | { readonly state: 'unsupported'; readonly version: string }
  | { readonly state: 'no-nodes'; readonly isCompared: boolean };

/**
 * Exports all compute, infra and storage nodes of a design: there is no cluster to compare it with.
 * @param file absolute path of the design file; null: it was read from the standard input
 * @param dir base directory of the relative paths in the design
 * @throws UserErrorException `unsafe-text`
 */
export function exportNodeImageOfDesign(design: Design, file: string | null, dir: string): NodeImageResult {
  const designFile = file === null ? '"${DESIGN:?is not set: name the file of the design}"' : quoteShellArg(file);
  const scriptOptions = {
    dir: join(dir, 'node-image'),
    kubeconfig: null,
    webRoot: WEB_ROOT,
    imagesDir: `${WEB_ROOT}/images`,
    trustBundle: findTrustBundle(design, resolveCredentialFiles(design, dir).trustBundleFile),
    approveCommand: `${formatCommandLine('csr', 'approve', '--expected')} --design ${designFile} --kubeconfig "$KUBECONFIG"`,
    isCompared: false,
  };
  return createResult(design, listWorkerMachines(design), scriptOptions);
}

/**
 * Exports the nodes of an install directory that have not joined its cluster. These have no Node object, or the user
 * reported them as reinstalled. If the API does not answer: all compute, infra and storage nodes.
 * @throws UserErrorException `unsafe-text`
 */
export async function exportNodeImage(context: StepContext): Promise<NodeImageResult> {
  const snapshot = await readSnapshot(context, ['nodes', 'clusterVersion']).catch(() => null);
  const version = snapshot?.clusterVersion?.version || context.design.openshift.version;
  const design = { ...context.design, openshift: { ...context.design.openshift, version } };
  const joinedNames = snapshot?.nodes ? new Set(snapshot.nodes.map(({ name }) => name)) : null;
  const nodes = listWorkerMachines(design).filter(
    (node) => !joinedNames?.has(getNodeFqdn(design, node)) || getReinstalledAt(context, node.name) !== null,
  );
  const { kubeconfig, hostFilesDir } = workspace(context.dir);
  const scriptOptions = {
    dir: join(context.dir, 'node-image'),
    kubeconfig,
    webRoot: `${hostFilesDir(design.services.bastion.name)}${WEB_ROOT}`,
    imagesDir: context.imagesDir,
    trustBundle: findTrustBundle(design, context.credentials.trustBundleFile),
    approveCommand: formatCommandLine('csr', 'approve', '--expected', '--dir', context.dir),
    isCompared: joinedNames !== null,
  };
  return createResult(design, nodes, scriptOptions);
}

/** Returns the trust bundle file if the design has mirrors: it holds their CA. Null otherwise: it is for a proxy. */
const findTrustBundle = (design: Design, file: string | null) => (design.imageDigestSources.length === 0 ? null : file);

function createResult(
  design: Design,
  nodes: readonly DesignNode[],
  scriptOptions: NodeImageScriptOptions,
): NodeImageResult {
  const { isCompared } = scriptOptions;
  const { version } = design.openshift;
  if (getVersionProfile(version).nodeImage === 'no') return { state: 'unsupported', version };
  if (nodes.length === 0) return { state: 'no-nodes', isCompared };
  const result = {
    version,
    files: listNodeImageFiles(design),
    isCompared,
    nodes: nodes.map((node) => ({ name: node.name, fqdn: getNodeFqdn(design, node), mac: node.mac, ip: node.ip })),
    openDetails: listMissingDetails(nodes),
    nodesConfig: `${renderNodesConfig(design, nodes)}\n`,
    script: renderNodeImageScript(design, nodes, scriptOptions),
  };
  return { state: 'exported', result };
}
