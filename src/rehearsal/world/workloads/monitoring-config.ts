import { getField, getString, isRecord } from '../../api/objects.ts';
import { isAtLeast, type ReleaseFacts } from '../../site/versions.ts';
import type { OperatorContext } from '../world.ts';
import { parseCachedYaml } from './yaml-cache.ts';

const KNOWN_KEYS = [
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
/**
 * These components accept no nodeSelector and no tolerations (pkg/manifests/types.go of cluster-monitoring-operator).
 */
const COMPONENTS_WITHOUT_PLACEMENT = ['prometheusOperatorAdmissionWebhook', 'nodeExporter'];

/**
 * Reads cluster-monitoring-config: the configuration that the operator uses, and the error of the current text. Since
 * 4.18 an unknown key is an error. The operator then keeps the last configuration that it accepted.
 */
export function readMonitoringConfig(world: OperatorContext): {
  readonly accepted: unknown;
  readonly error: string | null;
} {
  const map = world.store.get('configmaps', 'openshift-monitoring', 'cluster-monitoring-config');
  const text = getString(map, 'data', 'config.yaml');
  const { config, error } = parseConfig(text, world.release);
  const { saved } = world;
  if (error === null && saved.monitoringConfig !== text) {
    saved.monitoringConfig = text;
    world.changed();
  }
  return { accepted: error === null ? config : parseConfig(saved.monitoringConfig, world.release).config, error };
}

function parseConfig(text: string, release: ReleaseFacts): { readonly config: unknown; readonly error: string | null } {
  if (text.trim() === '') return { config: {}, error: null };
  let config: unknown;
  try {
    config = parseCachedYaml(text);
  } catch (error) {
    const detail = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
    return {
      config: {},
      error: `the Cluster Monitoring ConfigMap could not be parsed: error converting YAML to JSON: yaml: ${detail}`,
    };
  }
  if (config === null) return { config: {}, error: null };
  if (!isRecord(config))
    return { config: {}, error: 'the Cluster Monitoring ConfigMap could not be parsed: cannot unmarshal' };
  if (!isAtLeast(release, 4, 18)) return { config, error: null };
  const unknown = Object.keys(config).filter((key) => !KNOWN_KEYS.includes(key));
  const misplaced = COMPONENTS_WITHOUT_PLACEMENT.flatMap((key) =>
    ['nodeSelector', 'tolerations']
      .filter((field) => getField(config, key, field) !== undefined)
      .map((field) => `${key}.${field}`),
  );
  const [invalidKey] = [...unknown, ...misplaced];
  if (invalidKey === undefined) return { config, error: null };
  return {
    config: {},
    error: `the Cluster Monitoring ConfigMap could not be parsed: error unmarshaling: unknown field "${invalidKey}"`,
  };
}
