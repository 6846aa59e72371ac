import { formatTimestamp, type NewObject } from '../../api/objects.ts';
import type { Hardware, MachineState } from '../saved.ts';
import type { World } from '../world.ts';

export const READY_CONDITIONS = [
  {
    type: 'MemoryPressure',
    status: 'False',
    reason: 'KubeletHasSufficientMemory',
    message: 'kubelet has sufficient memory available',
  },
  {
    type: 'DiskPressure',
    status: 'False',
    reason: 'KubeletHasNoDiskPressure',
    message: 'kubelet has no disk pressure',
  },
  {
    type: 'PIDPressure',
    status: 'False',
    reason: 'KubeletHasSufficientPID',
    message: 'kubelet has sufficient PID available',
  },
  { type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'kubelet is posting ready status' },
] as const;

/** Builds a node as its kubelet registers it: not Ready until its network is. */
export function buildNode(world: World, hardware: Hardware, state: MachineState, name: string): NewObject {
  const isMaster = state.kind === 'master';
  const isSchedulable = !isMaster || world.saved.cluster?.mastersSchedulable === true;
  const time = formatTimestamp(world.clock.now());
  const capacity = {
    cpu: String(hardware.vcpu),
    memory: `${hardware.memoryGiB * 1024 * 1024}Ki`,
    pods: '250',
    'ephemeral-storage': hardware.diskGiB === undefined ? '125293548Ki' : `${hardware.diskGiB * 1024 * 1000}Ki`,
  };
  const labels: Record<string, string> = {
    'beta.kubernetes.io/arch': 'amd64',
    'beta.kubernetes.io/os': 'linux',
    'kubernetes.io/arch': 'amd64',
    'kubernetes.io/hostname': name,
    'kubernetes.io/os': 'linux',
    'node.openshift.io/os_id': 'rhcos',
  };
  if (isMaster) {
    labels['node-role.kubernetes.io/master'] = '';
    labels['node-role.kubernetes.io/control-plane'] = '';
  }
  if (isSchedulable) labels['node-role.kubernetes.io/worker'] = '';
  const taints = [{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }];
  if (!isSchedulable) taints.push({ key: 'node-role.kubernetes.io/master', effect: 'NoSchedule' });
  return {
    metadata: {
      name,
      labels,
      annotations: { 'volumes.kubernetes.io/controller-managed-attach-detach': 'true' },
    },
    spec: { taints },
    status: {
      addresses: [
        { type: 'InternalIP', address: state.lease?.address ?? '' },
        { type: 'Hostname', address: name },
      ],
      capacity,
      allocatable: capacity,
      conditions: READY_CONDITIONS.map((condition) =>
        condition.type === 'Ready'
          ? {
              type: 'Ready',
              status: 'False',
              reason: 'KubeletNotReady',
              message:
                'container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message:Network plugin returns error: no CNI configuration file in /etc/kubernetes/cni/net.d/. Has your network provider started?',
              lastHeartbeatTime: time,
              lastTransitionTime: time,
            }
          : { ...condition, lastHeartbeatTime: time, lastTransitionTime: time },
      ),
      daemonEndpoints: { kubeletEndpoint: { Port: 10250 } },
      nodeInfo: {
        architecture: 'amd64',
        bootID: '',
        containerRuntimeVersion: 'cri-o://1.31.7',
        kernelVersion: '5.14.0-427.el9.x86_64',
        kubeProxyVersion: world.release.kubernetes,
        kubeletVersion: world.release.kubernetes,
        machineID: '',
        operatingSystem: 'linux',
        osImage: `Red Hat Enterprise Linux CoreOS ${world.release.rhcos.build}`,
        systemUUID: '',
      },
    },
  };
}
