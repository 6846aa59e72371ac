import { listNodesWithRole } from '../../../../src/design/derived-facts.ts';
import { clusterVersion, condition, formatResources } from '../../../support/bundle-objects.ts';
import { formatJournal, formatServiceRecord, STAGES } from '../../../support/bundle-text.ts';
import { exampleSite } from '../../../support/example-design.ts';
import { createLogBundle, omitMasterLogs } from '../../../support/log-bundle.ts';

// Parts of the log bundles of failed installations.

export const design = exampleSite();
const BS = 'bs.ocp45.example.localdomain';
export const RELEASE = 'quay.io/openshift-release-dev/ocp-release@sha256:ab12';
export const times = (count: number, ...texts: readonly string[]) => Array.from({ length: count }, () => texts).flat();
export const [M1 = ''] = listNodesWithRole(design, 'control-plane').map(({ ip }) => ip[0] ?? '');
export const masters = listNodesWithRole(design, 'control-plane').map(({ name }) => name);
export const API_INT = 'api-int.ocp45.example.localdomain';

/**
 * No control plane machine accepts SSH from the bootstrap machine.
 * @param why the error of ssh
 */
export const unreachableMasters = (why: string) => ({
  ...omitMasterLogs(design),
  'gather.log': [
    'Gathering bootstrap journals ...',
    'Gather remote logs',
    ...listNodesWithRole(design, 'control-plane').flatMap(({ ip }) => [
      `Collecting info from ${ip[0]}`,
      `ssh: connect to host ${ip[0]} port 22: ${why}`,
      'lost connection',
      `ssh: connect to host ${ip[0]} port 22: ${why}`,
    ]),
    '',
  ].join('\n'),
});
/** The API never came up: `oc` leaves empty files. */
export const noApi = Object.fromEntries(
  'nodes clusteroperators clusterversion csr machineconfigpools apiservices namespaces pods configmaps events'
    .split(' ')
    .map((name) => [`resources/${name}.json`, '']),
);
/** The release image cannot be pulled: nothing else starts. */
export const pullFailure = (error: string, more: Readonly<Record<string, string | null>> = {}) =>
  createLogBundle(design, {
    ...unreachableMasters('Connection refused'),
    ...noApi,
    'failed-units.txt':
      '  UNIT                  LOAD   ACTIVE SUB    DESCRIPTION\n* release-image.service loaded failed failed Download the OpenShift Release Image\n\n1 loaded units listed.\n',
    'bootstrap/services/release-image.json': formatServiceRecord([], {
      stage: 'pull-release-image',
      message: `Error: ${error}`,
    }),
    'bootstrap/services/bootkube.json': null,
    'bootstrap/journals/release-image.log': formatJournal(
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
  createLogBundle(design, {
    'bootstrap/services/bootkube.json': formatServiceRecord([...STAGES, ...done]).replace(
      /,\s*\{[^{}]*"service end"[^{}]*\}\s*\]/,
      `,\n  {"timestamp":"2026-11-22T11:00:00Z","phase":"stage start","stage":"${stage}"}\n]`,
    ),
    'bootstrap/journals/bootkube.log': formatJournal(BS, 'bootkube.sh[2304]', messages),
    ...more,
  });
export const onMaster = (
  files: Readonly<Record<string, string | null>>,
  more: Readonly<Record<string, string | null>> = {},
) =>
  createLogBundle(design, {
    ...Object.fromEntries(Object.entries(files).map(([path, text]) => [`control-plane/${M1}/${path}`, text])),
    ...more,
  });
export const noNodes = {
  'resources/nodes.json': formatResources(),
  'resources/clusterversion.json': formatResources(
    clusterVersion([
      condition('Available', 'False', 60),
      condition('Failing', 'False'),
      condition('Progressing', 'True', 60, '', 'Working towards 4.18.9: 300 of 900 done (33% complete)'),
    ]),
  ),
  'resources/clusteroperators.json': formatResources(),
  'resources/configmaps.json': formatResources(),
};
export const ignitionErrors = (error: string) =>
  Array.from({ length: 60 }, (_, index) => [
    `GET https://${API_INT}:22623/config/master: attempt #${index + 1}`,
    `GET error: Get "https://${API_INT}:22623/config/master": ${error}`,
  ]).flat();
