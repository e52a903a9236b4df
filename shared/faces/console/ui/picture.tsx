/** Line drawings for pages that have nothing to show yet. Decorative: the title beside one says what is missing. */
import type { ComponentChildren } from 'preact'

const drawings = {
  /** Nothing has come in yet. */
  box: (
    <>
      <ellipse class="soft" cx="80" cy="86" rx="58" ry="7" />
      <path d="M40 44 80 30l40 14v30L80 88 40 74z" />
      <path d="M40 44 80 58l40-14M80 58v30" />
      <path d="m40 44-12 12 40 14 12-12M120 44l12 12-40 14-12-12" />
      <path class="strong" d="M80 22V8m-12 15-6-10m30 10 6-10" />
    </>
  ),
  /** A search or a filter without a match. */
  search: (
    <>
      <rect x="22" y="18" width="92" height="62" rx="6" />
      <rect class="soft" x="32" y="30" width="52" height="6" rx="3" />
      <rect class="soft" x="32" y="45" width="68" height="6" rx="3" />
      <rect class="soft" x="32" y="60" width="40" height="6" rx="3" />
      <circle class="spot" cx="108" cy="58" r="18" />
      <path class="strong" d="m121 71 15 15" />
    </>
  ),
  /** Something happens here, and an agent starts there. */
  flow: (
    <>
      <rect x="12" y="34" width="40" height="32" rx="6" />
      <rect class="soft" x="20" y="44" width="24" height="5" rx="2.5" />
      <rect class="soft" x="20" y="53" width="16" height="5" rx="2.5" />
      <path class="strong" d="M58 50h36m-8-7 8 7-8 7" stroke-dasharray="5 4" />
      <circle class="spot" cx="122" cy="50" r="22" />
      <path class="strong" d="M115 46v5m14-5v5m-13 9c4 3 8 3 12 0" />
    </>
  ),
  /** Nothing is connected yet. */
  plug: (
    <>
      <path d="M12 50h30m0-16h16v32H42z" />
      <path d="M58 42h10M58 58h10" />
      <path class="spot" d="M92 32h10a18 18 0 0 1 0 36H92z" />
      <path class="strong" d="M120 50h28" />
      <path class="strong" d="m76 30 4 7m-4 33 4-7m2-28 5 4m-5 22 5-4" />
    </>
  ),
  /** Everything is done. */
  done: (
    <>
      <rect class="soft" x="36" y="24" width="88" height="10" rx="5" />
      <rect class="soft" x="36" y="46" width="88" height="10" rx="5" />
      <rect class="soft" x="36" y="68" width="88" height="10" rx="5" />
      <circle class="spot" cx="80" cy="51" r="26" />
      <path class="strong" d="m68 52 9 9 16-19" />
    </>
  ),
  /** This token may not see it. */
  lock: (
    <>
      <ellipse class="soft" cx="80" cy="90" rx="46" ry="6" />
      <rect x="48" y="42" width="64" height="46" rx="8" />
      <path class="strong" d="M62 42V30a18 18 0 0 1 36 0v12" />
      <circle class="spot" cx="80" cy="62" r="6" />
      <path class="strong" d="M80 68v8" />
    </>
  ),
  /** There are no figures yet. */
  chart: (
    <>
      <path d="M24 14v72h114" />
      <rect class="soft" x="38" y="58" width="16" height="28" />
      <rect class="soft" x="64" y="44" width="16" height="42" />
      <rect class="soft" x="90" y="62" width="16" height="24" />
      <rect class="spot" x="116" y="30" width="16" height="56" />
      <path class="strong" d="m38 40 26-16 26 14 34-24" />
    </>
  ),
} satisfies Record<string, ComponentChildren>
export type PictureName = keyof typeof drawings

export const Picture = ({ name }: { name: PictureName }) => (
  <svg class="picture" viewBox="0 0 160 100" aria-hidden="true">
    {drawings[name]}
  </svg>
)
