import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Lineage } from '../../../src/schemas/knowledge/lineage.ts';
import { labelLines, layerGraph, layoutAcross, layoutDown, type MapLayout } from '../../../src/site/lineage/graph-layout.ts';

type Graph = Lineage['graph'];
const LIMITS = { near: 8, far: 4 };

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
      version: '1.0.0',
      title: name,
      status: 'current' as const,
      content_sha256: '0'.repeat(64),
      record_digest: `sha256:${'0'.repeat(64)}`,
      hash_ok: true,
      distance,
      uri: `/capsules/${name}`,
      lineage: `/capsules/${name}/lineage.json`,
    }));
    const id = fc.constantFrom(...nodes.map(({ capsule_id }) => capsule_id));
    const edge = fc.record({
      from: id,
      to: id,
      relation: fc.constantFrom('derived_from' as const, 'supersedes' as const, 'cites' as const),
    });
    return fc.array(edge, { maxLength: 60 }).map((edges) => ({ nodes, edges, total: nodes.length, truncated: false, next_cursor: null }));
  });

function expectTidy(layout: MapLayout): void {
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
        const map = layerGraph(graph, LIMITS);
        for (const layout of [layoutAcross(map), layoutDown(map)]) expectTidy(layout);
        const shown = map.layers.reduce((sum, { nodes, omitted }) => sum + nodes.length + omitted, 0);
        expect(shown).toBe(graph.nodes.length);
      }),
    );
  });

  it('is the same for the same graph, in whatever order it comes', () => {
    fc.assert(
      fc.property(graphs, (graph) => {
        const turned: Graph = { ...graph, nodes: [...graph.nodes].reverse(), edges: [...graph.edges].reverse() };
        const drawn = ({ edges, ...rest }: MapLayout) => ({ ...rest, edges: edges.map((edge) => JSON.stringify(edge)).sort() });
        expect(drawn(layoutAcross(layerGraph(turned, LIMITS)))).toEqual(drawn(layoutAcross(layerGraph(graph, LIMITS))));
      }),
    );
  });

  it('breaks long ids at hyphens into at most two lines that fit', () => {
    expect(labelLines('oauth-protected-resource')).toEqual(['oauth-protected-resource']);
    expect(labelLines('client-id-metadata-documents')).toEqual(['client-id-metadata-', 'documents']);
    expect(labelLines('kommunikation-massnahmen-wm')).toEqual(['kommunikation-', 'massnahmen-wm']);
    expect(labelLines('mmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmm')).toEqual(['mmmmmmmmmmmmmm', 'mmmmmmmmmmmmm…']);
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z0-9-]{1,64}$/), (id) => {
        const lines = labelLines(id);
        expect(lines.length).toBeLessThanOrEqual(2);
        expect(lines.every((line) => line.length <= 27)).toBe(true);
      }),
    );
  });
});
