import { at, isRecord, textAt } from '../../api/objects.ts';
import { isAtLeast, type ReleaseFacts } from '../../site/versions.ts';
import type { Operated } from '../world.ts';
import { settingsIn } from './settings-text.ts';

const KEYS = [
  'alertmanagerMain',
  'enableUserWorkload',
  'userWorkload',
  'http',
  'kubeStateMetrics',
  'openshiftStateMetrics',
  'prometheusK8s',
  'prometheusOperator',
  'prometheusOperatorAdmissionWebhook',
  'telemeterClient',
  'thanosQuerier',
  'nodeExporter',
  'monitoringPlugin',
  'metricsServer',
  'k8sPrometheusAdapter',
  'ingress',
];
/** These components take no nodeSelector and no tolerations (pkg/manifests/types.go of cluster-monitoring-operator). */
const UNPLACED = ['prometheusOperatorAdmissionWebhook', 'nodeExporter'];

/**
 * cluster-monitoring-config: what the operator works with, and what is wrong with what stands there now. From 4.18 on an
 * unknown key stops it, and it goes on with the last configuration that it understood.
 */
export function monitoringConfig(world: Operated): { readonly accepted: unknown; readonly error: string | null } {
  const map = world.store.get('configmaps', 'openshift-monitoring', 'cluster-monitoring-config');
  const text = textAt(map, 'data', 'config.yaml');
  const { config, error } = read(text, world.release);
  const { saved } = world;
  if (error === null && saved.monitoringConfig !== text) {
    saved.monitoringConfig = text;
    world.changed();
  }
  return { accepted: error === null ? config : read(saved.monitoringConfig, world.release).config, error };
}

function read(text: string, release: ReleaseFacts): { readonly config: unknown; readonly error: string | null } {
  if (text.trim() === '') return { config: {}, error: null };
  let config: unknown;
  try {
    config = settingsIn(text);
  } catch (error) {
    const why = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
    return {
      config: {},
      error: `the Cluster Monitoring ConfigMap could not be parsed: error converting YAML to JSON: yaml: ${why}`,
    };
  }
  if (config === null) return { config: {}, error: null };
  if (!isRecord(config))
    return { config: {}, error: 'the Cluster Monitoring ConfigMap could not be parsed: cannot unmarshal' };
  if (!isAtLeast(release, 4, 18)) return { config, error: null };
  const unknown = Object.keys(config).filter((key) => !KEYS.includes(key));
  const misplaced = UNPLACED.flatMap((key) =>
    ['nodeSelector', 'tolerations']
      .filter((field) => at(config, key, field) !== undefined)
      .map((field) => `${key}.${field}`),
  );
  const [wrong] = [...unknown, ...misplaced];
  if (wrong === undefined) return { config, error: null };
  return {
    config: {},
    error: `the Cluster Monitoring ConfigMap could not be parsed: error unmarshaling: unknown field "${wrong}"`,
  };
}
