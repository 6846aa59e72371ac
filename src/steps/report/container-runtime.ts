import { gunzipSync } from 'node:zlib';
import { getList, getString, type KubeObject } from '../../openshift/object.ts';

const DROP_IN = /^\/etc\/crio\/crio\.conf\.d\/[^/]+$/;
const DEFAULT_RUNTIME = /^\s*default_runtime\s*=\s*["']([^"'\n]*)["']/gm;
/** Limit for the decoded configuration of CRI-O, bytes. A real one has a few hundred. */
const MAX_BYTES = 64 * 1024;

/**
 * Returns the default runtime that a ContainerRuntimeConfig or a MachineConfig sets for CRI-O: `runc` or `crun`; null
 * if it sets none. A MachineConfig sets it by drop-in files, of which the last one counts (machine-config-operator,
 * pkg/controller/common/helpers.go, DetectRuncInMachineConfig).
 */
export function findDefaultRuntime({ kind, spec }: KubeObject): string | null {
  if (kind === 'ContainerRuntimeConfig') return getString(spec, 'containerRuntimeConfig', 'defaultRuntime') || null;
  const dropIns = getList(spec, 'config', 'storage', 'files')
    .map((file) => ({
      path: getString(file, 'path') ?? '',
      source: getString(file, 'contents', 'source') ?? '',
      isCompressed: getString(file, 'contents', 'compression') === 'gzip',
    }))
    .filter(({ path }) => DROP_IN.test(path))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
  return dropIns.reduce<string | null>(
    (runtime, { source, isCompressed }) =>
      [...decodeDataUrl(source, isCompressed).matchAll(DEFAULT_RUNTIME)].at(-1)?.[1] ?? runtime,
    null,
  );
}

/** Decodes a data URL (RFC 2397); empty for any other URL, and for a content that is damaged or too long. */
function decodeDataUrl(url: string, isCompressed: boolean): string {
  const [, header = '', data = ''] = /^data:([^,]*),(.*)$/s.exec(url) ?? [];
  try {
    const bytes = Buffer.from(decodeURIComponent(data), /;base64$/.test(header) ? 'base64' : 'utf8');
    return (isCompressed ? gunzipSync(bytes, { maxOutputLength: MAX_BYTES }) : bytes).toString('utf8', 0, MAX_BYTES);
  } catch {
    return '';
  }
}
