import { nodesWithRole } from '../../../../src/design/names.ts';
import { clusterVersion, condition, resource } from '../../../support/bundle-objects.ts';
import { journal, record, STAGES } from '../../../support/bundle-text.ts';
import { exampleSite } from '../../../support/example-design.ts';
import { logBundle, withoutMasters } from '../../../support/log-bundle.ts';

// What log bundles of installations that went wrong are made of.

export const design = exampleSite();
const BS = 'bs.ocp45.example.localdomain';
export const RELEASE = 'quay.io/openshift-release-dev/ocp-release@sha256:ab12';
export const times = (count: number, ...texts: readonly string[]) => Array.from({ length: count }, () => texts).flat();
export const [M1 = ''] = nodesWithRole(design, 'control-plane').map(({ ip }) => ip[0] ?? '');
export const masters = nodesWithRole(design, 'control-plane').map(({ name }) => name);
export const API = 'api-int.ocp45.example.localdomain';

/** No control plane node let the bootstrap in. @param why what ssh said of each */
export const unreached = (why: string) => ({
  ...withoutMasters(design),
  'gather.log': [
    'Gathering bootstrap journals ...',
    'Gather remote logs',
    ...nodesWithRole(design, 'control-plane').flatMap(({ ip }) => [
      `Collecting info from ${ip[0]}`,
      `ssh: connect to host ${ip[0]} port 22: ${why}`,
      'lost connection',
      `ssh: connect to host ${ip[0]} port 22: ${why}`,
    ]),
    '',
  ].join('\n'),
});
/** The API never came up: `oc` leaves files with nothing in them. */
export const noApi = Object.fromEntries(
  'nodes clusteroperators clusterversion csr machineconfigpools apiservices namespaces pods configmaps events'
    .split(' ')
    .map((name) => [`resources/${name}.json`, '']),
);
/** The release image does not come: nothing else begins. */
export const notPulled = (error: string, more: Readonly<Record<string, string | null>> = {}) =>
  logBundle(design, {
    ...unreached('Connection refused'),
    ...noApi,
    'failed-units.txt':
      '  UNIT                  LOAD   ACTIVE SUB    DESCRIPTION\n* release-image.service loaded failed failed Download the OpenShift Release Image\n\n1 loaded units listed.\n',
    'bootstrap/services/release-image.json': record([], {
      stage: 'pull-release-image',
      said: `Error: ${error}`,
    }),
    'bootstrap/services/bootkube.json': null,
    'bootstrap/journals/release-image.log': journal(
      BS,
      'release-image-download.sh[1201]',
      times(12, `Pulling ${RELEASE}...`, `Error: ${error}`, `Pull failed. Retrying ${RELEASE}...`),
    ),
    'bootstrap/journals/bootkube.log': '-- No entries --\n',
    ...more,
  });
export const bootkube = (
  stage: string,
  done: readonly string[],
  messages: readonly string[],
  more: Readonly<Record<string, string | null>> = {},
) =>
  logBundle(design, {
    'bootstrap/services/bootkube.json': record([...STAGES, ...done]).replace(
      /,\s*\{[^{}]*"service end"[^{}]*\}\s*\]/,
      `,\n  {"timestamp":"2026-11-22T11:00:00Z","phase":"stage start","stage":"${stage}"}\n]`,
    ),
    'bootstrap/journals/bootkube.log': journal(BS, 'bootkube.sh[2304]', messages),
    ...more,
  });
export const onMaster = (
  files: Readonly<Record<string, string | null>>,
  more: Readonly<Record<string, string | null>> = {},
) =>
  logBundle(design, {
    ...Object.fromEntries(Object.entries(files).map(([path, text]) => [`control-plane/${M1}/${path}`, text])),
    ...more,
  });
export const notJoined = {
  'resources/nodes.json': resource(),
  'resources/clusterversion.json': resource(
    clusterVersion([
      condition('Available', 'False', 60),
      condition('Failing', 'False'),
      condition('Progressing', 'True', 60, '', 'Working towards 4.18.9: 300 of 900 done (33% complete)'),
    ]),
  ),
  'resources/clusteroperators.json': resource(),
  'resources/configmaps.json': resource(),
};
export const ignition = (error: string) =>
  Array.from({ length: 60 }, (_, index) => [
    `GET https://${API}:22623/config/master: attempt #${index + 1}`,
    `GET error: Get "https://${API}:22623/config/master": ${error}`,
  ]).flat();
