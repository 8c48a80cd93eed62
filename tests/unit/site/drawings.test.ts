import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Lineage } from '../../../src/schemas/knowledge/lineage.ts';
import {
  type DrawingLayout,
  describeDrawing,
  type LayeredDrawing,
  labelLines,
  layoutAcross,
  layoutDown,
} from '../../../src/site/diagram-layout.ts';
import { lineageMap } from '../../../src/site/lineage-map.ts';

type Graph = Lineage['graph'];

/** A graph around the capsule "centre", with up to thirty others at distances from -2 to 2. */
const graphs: fc.Arbitrary<Graph> = fc
  .uniqueArray(fc.record({ name: fc.stringMatching(/^[a-z0-9]{1,12}(-[a-z0-9]{1,12}){0,3}$/), distance: fc.constantFrom(-2, -1, 1, 2) }), {
    maxLength: 30,
    selector: ({ name }) => name,
  })
  .chain((others) => {
    const named = others.filter(({ name }) => name !== 'centre');
    const nodes = [{ name: 'centre', distance: 0 }, ...named].map(({ name, distance }) => ({
      capsule_id: name,
      title: distance === 0 ? 'The centre' : name.replaceAll('-', ' '),
      status: 'current',
      distance,
      uri: `/capsules/${name}`,
    }));
    const id = fc.constantFrom(...nodes.map(({ capsule_id }) => capsule_id));
    const edge = fc.record({ from: id, to: id, relation: fc.constantFrom('derived_from', 'supersedes', 'cites') });
    return fc.array(edge, { maxLength: 60 }).map((edges) => ({ nodes, edges }) as unknown as Graph);
  });

function expectTidy(layout: DrawingLayout): void {
  for (const node of layout.nodes) {
    expect(node.x).toBeGreaterThanOrEqual(0);
    expect(node.x + node.width).toBeLessThanOrEqual(layout.width);
    expect(node.y).toBeGreaterThan(0);
    expect(node.y).toBeLessThanOrEqual(layout.height);
  }
  for (const [index, a] of layout.nodes.entries()) {
    for (const b of layout.nodes.slice(index + 1))
      expect(a.x !== b.x || Math.abs(a.y - b.y) >= 30, `${a.id} and ${b.id} overlap`).toBe(true);
  }
  const ids = new Set(layout.nodes.map(({ id }) => id));
  for (const edge of layout.edges) expect(ids.has(edge.lower) && ids.has(edge.upper)).toBe(true);
}

describe('the lineage map', () => {
  it('keeps every capsule on the page and none on another, whatever the graph', () => {
    fc.assert(
      fc.property(graphs, (graph) => {
        const drawing = lineageMap(graph);
        for (const layout of [layoutAcross(drawing), layoutDown(drawing)]) expectTidy(layout);
        const shown = drawing.layers.reduce((sum, { nodes, more }) => sum + nodes.length + Number(/\d+/.exec(more ?? '0')), 0);
        expect(shown).toBe(graph.nodes.length);
        expect(drawing.layers.flatMap(({ nodes }) => nodes.find(({ isCentre }) => isCentre)?.label ?? [])).toEqual(['The centre']);
        for (const { label } of drawing.layers.flatMap(({ nodes }) => nodes)) expect(describeDrawing(drawing)).toContain(label);
      }),
    );
  });

  it('is the same for the same graph, in whatever order it comes', () => {
    fc.assert(
      fc.property(graphs, (graph) => {
        const turned: Graph = { ...graph, nodes: [...graph.nodes].reverse(), edges: [...graph.edges].reverse() };
        const drawn = ({ edges, ...rest }: DrawingLayout) => ({ ...rest, edges: edges.map((edge) => JSON.stringify(edge)).sort() });
        expect(drawn(layoutAcross(lineageMap(turned)))).toEqual(drawn(layoutAcross(lineageMap(graph))));
      }),
    );
  });
});

describe('a drawing', () => {
  it('breaks labels at spaces and hyphens into lines that fit, and says with an ellipsis what it cuts', () => {
    expect(labelLines('Texts with their sources', 190, 3)).toEqual(['Texts with their sources']);
    expect(labelLines('Versions that never change, each with a digest', 190, 3)).toEqual([
      'Versions that never change,',
      'each with a digest',
    ]);
    expect(labelLines('client-id-metadata-documents and more of them', 150, 2)).toEqual(['client-id-metadata-', 'documents and more…']);
    expect(labelLines('m'.repeat(40), 150, 2)).toEqual(['mmmmmmmmmmm', 'mmmmmmmmmmm…']);
    expect(labelLines('信任与验证'.repeat(4), 150, 3)).toEqual(['信任与验证信任与验证', '信任与验证信任与验证']);
    fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: 120 }), (label) => {
        const lines = labelLines(label, 190, 3);
        expect(lines.length).toBeLessThanOrEqual(3);
        if (lines.length < 3) expect(lines.join('').replace(/\s/g, '')).toBe(label.replace(/\s/g, ''));
      }),
    );
  });

  it('refuses a line to what is not on it', () => {
    const drawing: LayeredDrawing = { layers: [{ heading: 'One', nodes: [] }], edges: [{ lower: 'a', upper: 'b', kind: 'flow' }] };
    expect(() => layoutAcross(drawing)).toThrow(/"a", which is not on it/);
  });
});
