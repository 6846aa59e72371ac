import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { listApiAuthorities, parsePointerIgnition } from '../../installer/ignition.ts';
import { getField, getList, getString } from '../../openshift/object.ts';
import type { ProbeQuery } from '../../probes/probe-types.ts';
import type { StepContext } from '../contract.ts';
import { readCredentials } from '../shared/files/credentials.ts';

/**
 * Reads the CAs (PEM) of this installation that may have issued a server's certificate. Null for `none`, or if no file
 * of the install directory contains one. The API may also present a certificate of the user's own CA, so the trust
 * bundle counts too.
 */
export async function readAuthorities(
  context: Pick<StepContext, 'dir' | 'credentials'>,
  kind: ProbeQuery<'certificate'>['authority'],
): Promise<readonly string[] | null> {
  const readInstallFile = (name: string) => readFile(join(context.dir, name), 'utf8').catch(() => null);
  if (kind === 'none') return null;
  const readBundle = async () =>
    splitPem((await readCredentials(context).catch(() => ({ trustBundle: null }))).trustBundle ?? '');
  if (kind === 'bundle') return await readBundle();
  if (kind === 'machine-config') {
    // A node trusts only the CAs of its pointer ignition file for the Machine Config Server.
    const pointers = await Promise.all(['master.ign', 'worker.ign'].map(readInstallFile));
    const authorities = pointers.flatMap((text) =>
      text === null ? [] : (parsePointerIgnition(text)?.authorities ?? []),
    );
    return authorities.length === 0 ? null : authorities;
  }
  const [kubeconfig, bootstrapIgnition] = await Promise.all([
    readInstallFile('auth/kubeconfig'),
    readInstallFile('bootstrap.ign'),
  ]);
  const authorities = [
    ...(kubeconfig === null ? [] : parseKubeconfigAuthorities(kubeconfig)),
    ...(bootstrapIgnition === null ? [] : listApiAuthorities(bootstrapIgnition)),
  ];
  if (authorities.length === 0) return null;
  return [...authorities, ...(await readBundle())];
}

/** Parses the CAs of a kubeconfig; none if the text is no kubeconfig. */
function parseKubeconfigAuthorities(text: string): string[] {
  try {
    const document: unknown = parse(text, { maxAliasCount: 0, logLevel: 'silent' });
    return getList(document, 'clusters').flatMap((cluster) => {
      const data = getString(getField(cluster, 'cluster'), 'certificate-authority-data');
      return splitPem(Buffer.from(data ?? '', 'base64').toString('latin1'));
    });
  } catch {
    return [];
  }
}

function splitPem(text: string): string[] {
  return text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
}
