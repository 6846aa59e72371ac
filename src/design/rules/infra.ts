import { catalogue } from '../../i18n/catalogue.ts';
import { isDnsLabel, isDomain, isLabelValue, isQualifiedName } from '../text-formats.ts';
import type { DesignRule } from './rule.ts';

const words = () => catalogue().designRules;

/** A DNS label has at most 63 characters; the prefix `router-` takes 7 of them. */
const MAX_ROUTER_NAME_LENGTH = 56;

const taint: DesignRule = {
  id: 'taint',
  severity: 'error',
  source: 'Kubernetes: qualified names and label values',
  title: () => words().taint.title,
  check({ infra }, report) {
    const { key, value } = infra.taint;
    if (!isQualifiedName(key))
      report(['infra', 'taint', 'key'], { message: words().taint.message(key), fix: words().taint.fix });
    if (!isLabelValue(value)) {
      report(['infra', 'taint', 'value'], { message: words().taint.message(value), fix: words().taint.fix });
    }
  },
};

const storageClass: DesignRule = {
  id: 'storage-class',
  severity: 'error',
  source: 'Kubernetes: StorageClass names are DNS subdomains',
  title: () => words().storageClass.title,
  check({ infra }, report) {
    for (const part of ['registry', 'monitoring'] as const) {
      const name = infra[part].storageClass;
      if (name === null || isDomain(name)) continue;
      report(['infra', part, 'storageClass'], {
        message: words().storageClass.message(name),
        fix: words().storageClass.fix,
      });
    }
  },
};

const routerReplicas: DesignRule = {
  id: 'router-replicas',
  dependsOn: [['nodes']],
  severity: 'warning',
  source: 'openshift/cluster-ingress-operator pkg/operator/controller/ingress: HostNetwork, one router per node',
  title: () => words().routerReplicas.title,
  check({ nodes, infra }, report) {
    const count = nodes.filter(({ role }) => role === 'infra').length;
    if (count === 0 || infra.routerReplicas === null || infra.routerReplicas <= count) return;
    const message = words().routerReplicas.message(infra.routerReplicas, count);
    report(['infra', 'routerReplicas'], { message, fix: words().routerReplicas.fix });
  },
};

const routers: DesignRule = {
  id: 'routers',
  severity: 'error',
  source: 'Kubernetes: an IngressController has a Deployment router-NAME, a DNS label',
  title: () => words().routers.title,
  check({ infra }, report) {
    for (const [index, name] of infra.routers.entries()) {
      const isValid =
        isDnsLabel(name) && name.length <= MAX_ROUTER_NAME_LENGTH && infra.routers.indexOf(name) === index;
      if (isValid) continue;
      report(['infra', 'routers', index], { message: words().routers.message(name), fix: words().routers.fix });
    }
  },
};

const infraPool: DesignRule = {
  id: 'infra-pool',
  dependsOn: [['nodes']],
  severity: 'error',
  source: 'openshift/machine-config-operator: a node belongs to the pool that selects it, or to none',
  title: () => words().infraPool.title,
  check({ nodes, infra }, report) {
    if (infra.pool || infra.keepWorkerRole || !nodes.some(({ role }) => role === 'infra')) return;
    report(['infra', 'keepWorkerRole'], { message: words().infraPool.message, fix: words().infraPool.fix });
  },
};

const registryStorage: DesignRule = {
  id: 'registry-storage',
  severity: 'warning',
  source: 'openshift-docs modules/installation-registry-storage-non-production.adoc',
  title: () => words().registryStorage.title,
  check({ infra }, report) {
    if (infra.registry.storage !== 'emptyDir') return;
    const problem = { message: words().registryStorage.message, fix: words().registryStorage.fix };
    report(['infra', 'registry', 'storage'], problem);
  },
};

export const infraRules: readonly DesignRule[] = [
  taint,
  storageClass,
  routerReplicas,
  routers,
  infraPool,
  registryStorage,
];
