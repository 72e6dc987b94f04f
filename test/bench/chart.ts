import { CONTESTANTS, figure } from './report.ts';
import type { Comparison } from './results.ts';
import { SCENARIOS } from './scenarios.ts';
import { PETSTORE } from './servers.ts';
import { median } from './statistics.ts';

const WIDTH = 760;
const MARGIN = 24;
const LABELS = 200;
const FIGURES = 70;
const ROW = 22;
const BAR = 14;
const TITLE = 30;
const GAP = 18;

const STYLE = `
  .paper { fill: #ffffff } text { fill: #1f2328; font: 13px system-ui, sans-serif }
  .head { font-weight: 600; font-size: 16px } .title { font-weight: 600 } .quiet { fill: #59636e }
  .bar { fill: #aab4c0 } .own { fill: #0969da } .end { text-anchor: end }
  @media (prefers-color-scheme: dark) {
    .paper { fill: #0d1117 } text { fill: #f0f6fc } .quiet { fill: #9198a1 }
    .bar { fill: #5b6672 } .own { fill: #4493f8 }
  }`;

/** Draws the requests per second: a panel for each scenario, each with its own scale. */
export function chart({ series }: Comparison, connections: number): string {
  const parts: string[] = [];
  let y = MARGIN + 16;
  parts.push(text(MARGIN, y, 'head', `Requests a second at ${connections} connections`));
  y += GAP;
  for (const { name, title } of SCENARIOS) {
    const bars = CONTESTANTS.flatMap((contestant) => {
      const found = series.find(
        (one) => one.scenario === name && one.connections === connections && one.server === contestant.name,
      );
      return found ? [{ ...contestant, rate: median(found.requestsPerSecond) }] : [];
    });
    if (bars.length === 0) continue;
    y += TITLE;
    parts.push(text(MARGIN, y - 8, 'title', title));
    const most = Math.max(...bars.map(({ rate }) => rate));
    for (const bar of bars) {
      const length = ((WIDTH - 2 * MARGIN - LABELS - FIGURES) * bar.rate) / most;
      const own = bar.name === PETSTORE.name;
      const left = MARGIN + LABELS;
      const base = y + ROW / 2 + 4.5;
      parts.push(
        text(left - 10, base, own ? 'title end' : 'quiet end', bar.title),
        `<rect class="${own ? 'own' : 'bar'}" x="${left}" y="${y + (ROW - BAR) / 2}" width="${length.toFixed(1)}" height="${BAR}" rx="2"/>`,
        text(left + length + 8, base, own ? 'title' : '', figure(bar.rate)),
      );
      y += ROW;
    }
    y += GAP / 2;
  }
  const height = y + MARGIN;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-label="Requests a second at ${connections} connections">`,
    `<style>${STYLE}\n</style>`,
    `<rect class="paper" width="${WIDTH}" height="${height}" rx="8"/>`,
    ...parts,
    '</svg>\n',
  ].join('\n');
}

function text(x: number, y: number, kind: string, content: string): string {
  return `<text class="${kind}" x="${x.toFixed(1)}" y="${y.toFixed(1)}">${content}</text>`;
}
