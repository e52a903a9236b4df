/** Figures over minutes, as an SVG with one small chart for each group of lines. */
type Figures<K extends string> = { [what in K]: number } & { minute: number }

const [width, height, left, top] = [360, 150, 48, 34]
const colours = ['#1b6ac9', '#b4541a']

/** A round number not below it. */
const ceiling = (value: number) => {
  const unit = 10 ** Math.floor(Math.log10(Math.max(value, 1e-6)))
  return [1, 2, 3, 4, 5, 6, 8, 10].map((times) => times * unit).find((limit) => limit >= value)!
}

export const chart = <K extends string>(
  title: string,
  rows: Figures<K>[],
  groups: { title: string; lines: K[] }[],
): string => {
  const minutes = Math.max(...rows.map(({ minute }) => minute))
  const drawChart = ({ title: of, lines }: (typeof groups)[number], index: number) => {
    const x0 = left + (index % 2) * (width + left + 16)
    const y0 = top + 24 + Math.floor(index / 2) * (height + 56)
    const max = ceiling(Math.max(...rows.flatMap((row) => lines.map((line) => row[line]))))
    const x = (minute: number) => (x0 + (minute / minutes) * width).toFixed(1)
    const y = (value: number) => (y0 + height - (value / max) * height).toFixed(1)
    const path = (line: K) => rows.map((row) => `${x(row.minute)},${y(row[line])}`).join(' ')
    return `<text x="${x0}" y="${y0 - 8}" font-weight="bold">${of}</text>
<rect x="${x0}" y="${y0}" width="${width}" height="${height}" fill="none" stroke="#bbb"/>
<text x="${x0 - 6}" y="${y0 + 10}" text-anchor="end">${max}</text><text x="${x0 - 6}" y="${y0 + height}" text-anchor="end">0</text>
<text x="${x0}" y="${y0 + height + 16}">0</text><text x="${x0 + width}" y="${y0 + height + 16}" text-anchor="end">${Math.round(minutes)} min</text>
${lines.map((line, n) => `<polyline fill="none" stroke="${colours[n]}" stroke-width="1.5" points="${path(line)}"/>`).join('\n')}`
  }
  const size = { w: left + 2 * (width + left + 16), h: top + 24 + Math.ceil(groups.length / 2) * (height + 56) }
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${size.w}" height="${size.h}" font-family="sans-serif" font-size="12" fill="#333">
<rect width="100%" height="100%" fill="#fff"/>
<text x="${left}" y="22" font-size="15">${title}</text>
${groups.map(drawChart).join('\n')}
</svg>
`
}
