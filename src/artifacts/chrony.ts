import { stringify } from 'yaml';
import template from '../../templates/chrony.conf.eta';
import { versionProfile } from '../design/versions.ts';
import type { Draft, GenerateInput } from './draft.ts';
import { WORK_DIR } from './layout.ts';
import { render } from './render.ts';

/** The nodes' time servers, as one MachineConfig per pool, to be put beside the installer's manifests. */
export function chronyFiles({ design }: GenerateInput): Draft[] {
  const { servers } = design.services.time;
  if (servers.length === 0) return [];
  const conf = render(template, { servers });
  const { ignitionSpec } = versionProfile(design.openshift.version);
  return ['master', 'worker'].map((pool) => ({
    host: design.services.bastion,
    path: `${WORK_DIR}/manifests/99-${pool}-chrony.yaml`,
    kind: 'chrony-machineconfig',
    content: stringify(machineConfig(pool, conf, ignitionSpec), { lineWidth: 0 }),
  }));
}

function machineConfig(pool: string, conf: string, version: string) {
  const contents = { source: `data:,${encodeURIComponent(conf)}` };
  const file = version.startsWith('2.')
    ? { filesystem: 'root', path: '/etc/chrony.conf', mode: 0o644, contents }
    : { path: '/etc/chrony.conf', mode: 0o644, overwrite: true, contents };
  return {
    apiVersion: 'machineconfiguration.openshift.io/v1',
    kind: 'MachineConfig',
    metadata: { name: `99-${pool}-chrony`, labels: { 'machineconfiguration.openshift.io/role': pool } },
    spec: { config: { ignition: { version }, storage: { files: [file] } } },
  };
}
