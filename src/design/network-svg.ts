import { catalogue } from '../i18n/catalogue.ts';
import { drawRect, drawText, renderSvg } from '../platform/svg.ts';
import { listBalancerStages } from './balancer-members.ts';
import { NODE_ROLES } from './choices.ts';
import { getClusterDomain } from './derived-facts.ts';
import type { Design, DesignNode } from './model.ts';
import {
  describeCompanyNetworks,
  ENDPOINT_PORTS,
  formatOrUnknown,
  groupByNetwork,
  listPodAndServiceNetworks,
  listRouterAddresses,
  type NetworkGroup,
} from './network-diagram.ts';

const words = () => catalogue().pages.review.diagram;

// All lengths in pixels.
const WIDTH = 960;
const MARGIN = 24;
const LINE_HEIGHT = 17;
const GAP = 12;
const COLUMNS = 4;
/**
 * The maximum length of a line of a card, in characters. A longer text ends with an ellipsis, and its title has the
 * full text.
 */
const MAX_LINE_LENGTH = 25;
const CARD_WIDTH = (WIDTH - 2 * MARGIN - 2 * GAP - (COLUMNS - 1) * GAP) / COLUMNS;

/** A part of the drawing, and its height. */
interface DrawingPart {
  readonly height: number;
  readonly draw: (y: number) => string;
}

/** A card of several lines; the first is its name. */
interface Card {
  readonly lines: readonly string[];
  readonly kind: 'card' | 'endpoint';
}

/**
 * Draws the networks of a design as SVG: company and router, then each machine network with its service hosts,
 * endpoints and nodes by role. Below are the networks inside the cluster, and the members of the load balancer by
 * stage. The SVG needs no script and no other file. Texts of the design are escaped.
 */
export function renderNetworkSvg(design: Design): string {
  const routers = listRouterAddresses(design);
  const title = catalogue().design.diagram.title(getClusterDomain(design));
  const parts: DrawingPart[] = [
    createBand(describeCompanyNetworks(design)),
    createWire(),
    createBand(`${words().router} ${routers.length > 0 ? routers.join(', ') : formatOrUnknown('')}`),
    ...groupByNetwork(design).flatMap((group) => [createWire(), createNetworkPart(group)]),
    createWire(),
    createPodAndServicePart(design),
    ...createBalancerParts(design),
  ];
  const height = parts.reduce((sum, part) => sum + part.height, 0) + 2 * MARGIN;
  let y = MARGIN;
  const elements = parts.map((part) => {
    const text = part.draw(y);
    y += part.height;
    return text;
  });
  return renderSvg('network', { title, description: describeNetworks(design) }, { width: WIDTH, height }, elements);
}

/** Describes in one sentence what the drawing shows. */
function describeNetworks(design: Design): string {
  const roles = NODE_ROLES.flatMap((role) => {
    const count = design.nodes.filter((node) => node.role === role).length;
    return count === 0 ? [] : [`${count} ${words().roles[role]}`];
  });
  return catalogue().design.diagram.description(
    design.networks.machine.map(({ cidr }) => cidr).join(', '),
    roles.join(', '),
  );
}

function createWire(): DrawingPart {
  return {
    height: 20,
    draw: (y) => `<line class="wire" x1="${WIDTH / 2}" y1="${y}" x2="${WIDTH / 2}" y2="${y + 20}"/>`,
  };
}

function createBand(text: string): DrawingPart {
  const height = 36;
  return {
    height,
    draw: (y) =>
      `${drawRect('band', MARGIN, y, WIDTH - 2 * MARGIN, height)}${drawText(text, MARGIN + GAP, y + 23, { maxLength: 110, style: 'title' })}`,
  };
}

/** Creates the part of a machine network: its hosts, its endpoints, and its nodes by role. */
function createNetworkPart({ title, hosts, endpoints, nodes }: NetworkGroup): DrawingPart {
  const sections: readonly { readonly heading: string; readonly cards: readonly Card[] }[] = [
    {
      heading: catalogue().design.diagram.hosts,
      cards: hosts.map(({ name, addresses, note }) => ({ lines: [name, addresses, ...wrapNote(note)], kind: 'card' })),
    },
    {
      heading: catalogue().design.diagram.endpoints,
      cards: endpoints.map(({ name, addresses, note }) => ({
        lines: [name, addresses, ...wrapNote(note)],
        kind: 'endpoint',
      })),
    },
    ...NODE_ROLES.map((role) => {
      const roleNodes = nodes.filter((node) => node.role === role);
      return { heading: `${roleNodes.length} ${words().roles[role]}`, cards: roleNodes.map(createNodeCard) };
    }),
  ];
  const grids = sections
    .filter(({ cards }) => cards.length > 0)
    .map(({ heading, cards }) => createGrid(heading, cards));
  return createFrame(title, grids);
}

/** Creates a band with a title and parts inside. */
function createFrame(title: string, parts: readonly DrawingPart[]): DrawingPart {
  const height = 34 + parts.reduce((sum, part) => sum + part.height, 0) + GAP;
  return {
    height,
    draw(y) {
      let top = y + 34;
      const elements = parts.map((part) => {
        const element = part.draw(top);
        top += part.height;
        return element;
      });
      return `${drawRect('band', MARGIN, y, WIDTH - 2 * MARGIN, height)}${drawText(title, MARGIN + GAP, y + 23, { maxLength: 110, style: 'title' })}${elements.join('')}`;
    },
  };
}

function createNodeCard({ name, ip, mac }: DesignNode): Card {
  return { lines: [formatOrUnknown(name), ...ip.map(formatOrUnknown), formatOrUnknown(mac)], kind: 'card' };
}

/** Splits a note such as `DNS, DHCP` or `:6443 on lb1` into lines of a card. */
function wrapNote(note: string): readonly string[] {
  const lines: string[] = [];
  for (const word of note.split(' ').filter((part) => part !== '')) {
    const lastLine = lines.at(-1);
    if (lastLine !== undefined && lastLine.length + word.length < MAX_LINE_LENGTH)
      lines[lines.length - 1] = `${lastLine} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** Creates rows of cards, below a heading if there is one. */
function createGrid(heading: string | null, cards: readonly Card[]): DrawingPart {
  const cardHeight = Math.max(...cards.map(({ lines }) => lines.length)) * LINE_HEIGHT + GAP;
  const rows = Math.ceil(cards.length / COLUMNS);
  const headingHeight = heading === null ? 0 : LINE_HEIGHT + 6;
  return {
    height: headingHeight + rows * (cardHeight + GAP),
    draw(y) {
      const left = MARGIN + GAP;
      const elements = cards.map(({ lines, kind }, index) => {
        const x = left + (index % COLUMNS) * (CARD_WIDTH + GAP);
        const top = y + headingHeight + Math.floor(index / COLUMNS) * (cardHeight + GAP);
        const texts = lines.map((line, row) =>
          drawText(line, x + 8, top + 6 + (row + 0.8) * LINE_HEIGHT, {
            maxLength: MAX_LINE_LENGTH,
            style: row === 0 ? 'title' : '',
          }),
        );
        return drawRect(kind, x, top, CARD_WIDTH, cardHeight) + texts.join('');
      });
      const headingElement =
        heading === null ? '' : drawText(heading, left, y + 13, { maxLength: 110, style: 'quiet' });
      return headingElement + elements.join('');
    },
  };
}

/** Creates the parts with the members of the load balancer: one card for each stage, and a gap above. */
function createBalancerParts(design: Design): DrawingPart[] {
  const cards = listBalancerStages(design).map(({ title, api, ingress }): Card => {
    const lines = [ENDPOINT_PORTS.apiInt, ...api, ENDPOINT_PORTS.ingress, ...ingress].flatMap(wrapNote);
    return { lines: [title, ...lines], kind: 'card' };
  });
  if (cards.length === 0) return [];
  return [
    { height: GAP, draw: () => '' },
    createFrame(catalogue().design.diagram.balancerByStage, [createGrid(null, cards)]),
  ];
}

/** Creates the part of the pod and service networks, which exist inside the cluster only. */
function createPodAndServicePart(design: Design): DrawingPart {
  const lines = listPodAndServiceNetworks(design).map(({ name, text }) => `${name} ${text}`);
  const height = 34 + lines.length * LINE_HEIGHT + GAP / 2;
  return {
    height,
    draw: (y) =>
      [
        drawRect('endpoint', MARGIN, y, WIDTH - 2 * MARGIN, height),
        drawText(words().insideCluster, MARGIN + GAP, y + 23, { maxLength: 110, style: 'title' }),
        ...lines.map((line, index) =>
          drawText(line, MARGIN + GAP, y + 34 + (index + 0.7) * LINE_HEIGHT, { maxLength: 110, style: '' }),
        ),
      ].join(''),
  };
}
