package graph

// svgStyle colours a drawing for a light page, and for a dark one where the reader prefers that.
const svgStyle = `<style>
.page{fill:#ffffff}
text{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono","Liberation Mono",monospace;font-size:11px;fill:#334155}
.name{font-family:ui-sans-serif,system-ui,"Segoe UI",Roboto,Helvetica,Arial,"DejaVu Sans",sans-serif;font-size:13px;font-weight:600;fill:#0f172a}
.box rect{stroke:#64748b;stroke-width:1.2}
.leaf rect{fill:#ffffff;stroke:#475569;stroke-width:1.4}
.box.d0 rect,.under.d0{fill:#f8fafc}
.box.d1 rect,.under.d1{fill:#eef2f7}
.box.d2 rect,.under.d2{fill:#e2e8f0}
.box.d3 rect,.under.d3{fill:#d8e0ea}
.box.d4 rect,.under.d4{fill:#cbd5e1}
.final rect{stroke-width:1.3;fill:none}
.final.success rect{stroke:#15803d;fill:#f0fdf4}
.final.failure rect{stroke:#b91c1c;fill:#fef2f2}
.final.cancelled rect{stroke:#a16207;fill:#fefce8}
.name.success{fill:#166534}
.name.failure{fill:#991b1b}
.name.cancelled{fill:#854d0e}
.separator{stroke:#64748b;stroke-width:1.2;stroke-dasharray:6 4;fill:none}
.dot{fill:#0f172a}
.pill{fill:none;stroke:#64748b;stroke-width:1;stroke-dasharray:3 3}
.pilltext{fill:#475569;font-style:italic}
.row.work{fill:#1d4ed8;font-weight:600}
.row.outcome,.row.entry,.row.exit,.row.defer{fill:#475569}
.row.time,.row.timer{fill:#9a4a04}
.row.auto{fill:#6d28d9}
.arrow path{fill:none;stroke:#475569;stroke-width:1.4}
.arrow.time path{stroke:#b45309}
.arrow.auto path{stroke:#7c3aed}
.arrow:hover path{stroke-width:3}
.clock{stroke:#b45309}
.head-event{fill:#475569}
.head-time{fill:#b45309}
.head-auto{fill:#7c3aed}
@media (prefers-color-scheme:dark){
.page{fill:#0d1117}
text{fill:#c9d1d9}
.name{fill:#f0f6fc}
.box rect{stroke:#6e7681}
.leaf rect{fill:#1c2430;stroke:#9aa4b0}
.box.d0 rect,.under.d0{fill:#0f141b}
.box.d1 rect,.under.d1{fill:#151b24}
.box.d2 rect,.under.d2{fill:#1b222d}
.box.d3 rect,.under.d3{fill:#222a36}
.box.d4 rect,.under.d4{fill:#293241}
.final.success rect{stroke:#3fb950;fill:#0f2417}
.final.failure rect{stroke:#f85149;fill:#2b1416}
.final.cancelled rect{stroke:#d29922;fill:#272012}
.name.success{fill:#7ee787}
.name.failure{fill:#ffa198}
.name.cancelled{fill:#f2cc60}
.separator{stroke:#6e7681}
.dot{fill:#f0f6fc}
.pill{stroke:#8b949e}
.pilltext,.row.outcome,.row.entry,.row.exit,.row.defer{fill:#a3adb8}
.row.work{fill:#79c0ff}
.row.time,.row.timer{fill:#f0b35a}
.row.auto{fill:#c4a5ff}
.arrow path{stroke:#9aa4b0}
.arrow.time path{stroke:#e09b3d}
.arrow.auto path{stroke:#a98bff}
.clock{stroke:#e09b3d}
.head-event{fill:#9aa4b0}
.head-time{fill:#e09b3d}
.head-auto{fill:#a98bff}
}
</style>
`

// svgDefs are the heads of arrows, one for each colour, and the clock.
const svgDefs = `<defs>
<marker id="flowc-event" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="9" markerHeight="9" markerUnits="userSpaceOnUse" orient="auto"><path class="head-event" d="M0 0.8L10 5L0 9.2L2.4 5z"/></marker>
<marker id="flowc-time" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="9" markerHeight="9" markerUnits="userSpaceOnUse" orient="auto"><path class="head-time" d="M0 0.8L10 5L0 9.2L2.4 5z"/></marker>
<marker id="flowc-auto" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="9" markerHeight="9" markerUnits="userSpaceOnUse" orient="auto"><path class="head-auto" d="M0 0.8L10 5L0 9.2L2.4 5z"/></marker>
<g id="flowc-clock" fill="none" stroke-width="1.2" stroke-linecap="round"><circle cx="5.5" cy="5.5" r="4.7"/><path d="M5.5 2.8V5.5L7.4 6.9"/></g>
</defs>
`
