import { SHORTCUTS } from '../../shortcuts.ts';
import { plural } from '../ui.ts';

/** Effects of a move on the cluster, in words. */
interface MoveEffects {
  readonly restarts: readonly string[];
  readonly outage: string;
  readonly knownLater: readonly string[];
}

interface RequestCounts {
  readonly requests: number;
  readonly failed: number;
  readonly failure: string | null;
}

/** Texts of the infra moves as a step: their plan, progress, result and undo. */
export const infraWords = {
  infra: {
    /** @param stopped the moves that are blocked or have failed */
    needed: (moves: string, inProgress: string, stopped: string) =>
      [
        ...(inProgress === '' ? [] : [`in progress: ${inProgress}`]),
        `to do: ${moves}`,
        ...(stopped === '' ? [] : [`not now: ${stopped}`]),
      ].join('; '),
    /** Describes a move, one line each: its purpose, and what it restarts or interrupts. */
    effects: (description: string, { restarts, outage, knownLater }: MoveEffects) =>
      [
        description,
        ...(restarts.length === 0 ? [] : [`Restarts: ${restarts.join('; ')}.`]),
        `Outage: ${outage}`,
        ...knownLater.map((effect) => `Known only later: ${effect}`),
      ].join('\n'),
    managed: (description: string, products: string) =>
      `${description}; ${products} manages it and may revert the change`,
    stopsAt: (move: string, hasFailed: boolean) =>
      `The run stops at ${move}, which ${hasFailed ? 'has failed' : 'is blocked'}.`,
    done: 'all infra moves are done: the moved workloads run on the infra nodes',
    stabilizing: (minutes: number) =>
      `All moves are done and all operators are healthy; this must hold for ${minutes} min.`,
    unstable: 'The cluster did not stay stable for long enough.',
    notStable: (move: string, reason: string) => `${move}: ${reason}`,
    unhealthyOperators: (names: readonly string[], message: string) =>
      `Operators that are not stable: ${names.join(', ')}. ${message}`.trim(),
    apiDown: 'the API is down; retrying',
    labelled: 'the storage nodes are set up; the design has no infra nodes, so nothing moves',
    recorded: 'the boot image is recorded; the design has no infra nodes, so nothing moves',
    none: 'the design has no infra nodes: nothing to move',
    waiting: (move: string, reason: string) => `${move}: ${reason}`,
    blocked: (move: string) => `move ${move} is blocked`,
    stoppedAfter: (doneCount: number, move: string, hasFailed: boolean, waitingCount: number) =>
      [
        ...(doneCount === 0 ? [] : [`${plural(doneCount, 'move')} ${doneCount === 1 ? 'is' : 'are'} done; `]),
        `${move} ${hasFailed ? 'has failed' : 'is blocked'}`,
        ...(waitingCount === 0
          ? []
          : [`, ${plural(waitingCount, 'move')} ${waitingCount === 1 ? 'waits' : 'wait'} for it`]),
      ].join(''),
    failed: (move: string) => `move ${move} failed`,
    failedAt: (time: string, reason: string) => `at ${time}: ${reason}`,
    pods: {
      left: (pod: string, node: string) => `${pod} left ${node}`,
      ready: (pod: string, node: string) => `${pod} is Ready on ${node}`,
    },
    podPending: (move: string, pod: string) => `${move}: no node can run ${pod}`,
    podBlocked: (move: string, pod: string) => `${move}: its PodDisruptionBudget prevents the eviction of ${pod}`,
    /** The remedy for a pod that cannot be scheduled or evicted, by cause. */
    podRemedies: {
      volume:
        'Check which node its volume is bound to: the pod starts only there, or with a new PersistentVolumeClaim.',
      claim: 'Check why its PersistentVolumeClaim is not bound.',
      apart: `Its replicas need different nodes: add an infra node to the design (${SHORTCUTS.edit}).`,
      size: `The infra nodes are full: give them more, or add one to the design (${SHORTCUTS.edit}).`,
      ports: `A new router waits until the old router frees its ports. If it stays pending, lower the number of routers (${SHORTCUTS.edit}).`,
      cordoned: 'An updating MachineConfigPool uncordons its nodes on its own. If no drain is running, uncordon them.',
      taint: 'The infra nodes have a taint that upi-wizard did not set. Remove it, or add a toleration.',
      'own-taint': `The taint of the design keeps it off: ${SHORTCUTS.unblockPod} undoes the move taint.`,
      selector:
        'No node matches its selector, although the infra nodes have their label: it requires another label, too.',
      unlabelled: `An infra node lacks its label: ${SHORTCUTS.unblockPod} sets it again.`,
      budget:
        'It is evicted when enough of its replicas are Ready elsewhere: see what its PodDisruptionBudget requires.',
      other: 'See what it waits for.',
    },
    blockedRemedy: 'Repair what the reason above names, then continue here: applied moves stay applied.',
    loadBalancerOutdated: (hosts: string, commands: readonly string[]) =>
      `${hosts}: HAProxy still runs with the members of another stage${commands.length === 0 ? '' : `: ${commands.map((command) => `\`${command}\``).join(' ')}`}`,
    loadBalancerUpdated: 'the load balancer is up to date',
    routerFirst: 'the router has to move first',
    applying: (move: string) => `move ${move}`,
    unknownMove: 'There is no such move.',
    undoing: (move: string) => `undo ${move}`,
    undone: (move: string) => `${move}: undone`,
    alreadyUndone: (move: string) =>
      `${move} is undone already: its objects have their previous settings. ${SHORTCUTS.recheck} checks again.`,
    undoFirst: (moves: string) => `Undo first: ${moves}.`,
    foreign: (move: string) => `${move}: left as it is; upi-wizard has no record of writing it`,
    inherited: (move: string, sets: readonly string[]) =>
      `${move}: set by MachineSet ${sets.join(', ')}; removed with its machines (infra undo machine-sets)`,
    unrecorded: `The previous settings were not recorded. Undo can only restore the operator defaults (${SHORTCUTS.defaults} in the question, or --to-defaults).`,
    changedSince: (objects: string) =>
      `Changed since upi-wizard wrote it, so it was left as it is: ${objects}. To overwrite it anyway: ${SHORTCUTS.overwrite} in the question, or --overwrite.`,
    undoBlocked: (move: string) => `the move ${move} cannot be undone now`,
    undoBlockedRemedy: 'Fix what it reports first, then undo the move again.',
    /** The job that carries out moves. */
    job: {
      leftRunning: (isUndo: boolean, move: string, log: string) =>
        `The infra moves continue without this terminal: a job is ${isUndo ? 'undoing' : 'applying'} ${move}. Its log: ${log}`,
      leftAsking: (move: string, command: string) =>
        `The job that applies the infra moves stopped at ${move} and waits for your answer: \`${command}\` shows its question.`,
      ended: {
        done: (log: string, isUndo = false) =>
          `The last job of infra moves ${isUndo ? 'undid' : 'applied'} all its moves. Its log: ${log}`,
        declined: (log: string) => `The last job of infra moves ended, because you answered no. Its log: ${log}`,
        cancelled: (log: string) => `The last job of infra moves was stopped. Its log: ${log}`,
      },
      question: (move: string) => `Apply ${move} with these changes? They differ from those that you confirmed.`,
      asks: (move: string) => `${move} waits for your answer: its changes differ from those that you confirmed.`,
      answered: (isYes: boolean) => (isYes ? 'answered: yes' : 'answered: no; finished moves stay in place'),
      outdatedAnswer: {
        title: 'The question has changed',
        cause: 'the job that applies the infra moves no longer waits for an answer to these changes.',
        remedy: 'Look at the page again, and answer the question that it shows now.',
      },
      running: {
        title: 'A job is carrying out infra moves',
        cause: (isUndo: boolean, move: string) => `it is ${isUndo ? 'undoing' : 'applying'} ${move}.`,
        remedy: (follow: string, stop: string) =>
          `Wait until it has ended: \`${follow}\` shows its progress. Or stop it: \`${stop}\``,
      },
      died: {
        title: 'The job that carried out the infra moves ended without a result',
        causes: {
          lost: 'it no longer runs, and how it ended was not recorded: this machine was restarted, or the job was killed.',
          code: (code: number) => `it exited with code ${code}.`,
          signal: (signal: string) => `it was killed (${signal}).`,
        },
        during: (isUndo: boolean, move: string | null) =>
          move === null ? 'No move had begun.' : `It was ${isUndo ? 'undoing' : 'applying'} ${move}.`,
        lastLine: (line: string) => `The last line of its log: ${line}`,
        remedy: (log: string) =>
          `Its changes stay. Press Enter: the wizard reads the cluster, and continues from there. Its log: ${log}`,
      },
    },
    timedOut: (minutes: number) => `not finished within ${minutes} minutes`,
    noCluster: {
      title: 'There is no cluster yet',
      cause: 'the install directory has no kubeconfig',
      remedy: 'Create the ignition files first: the kubeconfig comes with them.',
    },
  },
  /** Results of users' requests while routers and load balancers change. */
  traffic: {
    api: (reason: string) => `the API: ${reason}`,
    counted: (move: string, { requests, failed, failure }: RequestCounts) =>
      `${move}: ${failed} of ${requests} requests failed during the move (console, canary, API)${
        failure === null ? '' : `; the first: ${failure}`
      }`,
  },
  savedPlan: {
    otherCluster: 'The plan was created for another cluster.',
    otherDesign: 'The plan was created for another version of the design.',
    blocked: (move: string, reason: string) => `${move} cannot be applied now: ${reason}`,
    changed: (object: string, owner: string) =>
      `${object} has changed since the plan was created${owner === '' ? '' : `: ${owner}`}`,
    deleted: 'it was deleted',
    recreated: 'it was deleted and recreated',
    writtenBy: (manager: string, time: string) => `written by ${manager} at ${time}`,
  },
  report: {
    needed: 'the report is not written yet',
    writeEffect: 'written from the present state of the cluster',
    outdated: 'the report is outdated: the cluster or the design has changed since',
    done: (path: string) => `written to ${path}`,
    following: (log: string) => `a background job approves expected requests; log: ${log}`,
    notFollowing: 'the background job has stopped',
    question: {
      follow: 'Approve expected requests in the background from now on?',
      'follow-stop': 'Stop approving in the background?',
    },
    details: {
      follow: (command: string) => [
        'For sites whose nodes come and go: every node of the saved design may join at any time, and unattended. Requests that do not fit the design are refused and logged.',
        `It keeps running when you leave. This command also stops it: \`${command}\``,
      ],
      'follow-stop': () => ['New nodes then wait until you approve their requests.'],
    },
  },
};
