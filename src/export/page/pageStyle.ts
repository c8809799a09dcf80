/** The looks of an exported page: light and dark as the reader's system is, readable on a phone and on paper. */
export const PAGE_STYLE = `:root{color-scheme:light dark;font:15px/1.6 system-ui,sans-serif;--line:color-mix(in srgb,CanvasText 16%,Canvas);--soft:color-mix(in srgb,CanvasText 5%,Canvas);--dim:color-mix(in srgb,CanvasText 72%,Canvas)}
html{background:Canvas;color:CanvasText}
body{max-width:56rem;margin:0 auto;padding:2.5rem 1.25rem 4rem}
h1{border-bottom:1px solid var(--line);font-size:1.5rem;line-height:1.3;margin:0 0 1.75rem;padding-bottom:.9rem;overflow-wrap:anywhere}
article{border-left:3px solid var(--hue,var(--line));margin:1.1rem 0;overflow:clip;padding:.1rem 0 .1rem 1rem;scroll-margin-top:8rem}
article.user{--hue:#2a7de1;background:var(--soft);border-radius:0 .5rem .5rem 0;padding:.6rem 1rem}
article.assistant{--hue:#2e9e5b}article.tool{--hue:#b7791f}
article.depth1{margin-left:1.75rem}article.depth2{margin-left:3.5rem}article.depth3{margin-left:5.25rem}
article:target{outline:2px solid var(--hue,Highlight);outline-offset:.35rem}
header{color:var(--dim);font-size:.85rem;overflow-wrap:anywhere}header b{color:CanvasText;text-transform:capitalize}
header a{color:inherit;text-decoration:none}header a:hover,header a:focus-visible{text-decoration:underline}
pre{font:inherit;margin:.25rem 0;overflow-wrap:anywhere;white-space:pre-wrap}
details{background:var(--soft);border:1px solid var(--line);border-radius:.5rem;margin:.5rem 0;padding:.35rem .8rem}
summary{color:var(--dim);cursor:pointer;font-size:.85rem;overflow-wrap:anywhere}
ins{background:light-dark(#dff5e3,#12381f);text-decoration:none}del{background:light-dark(#fbe3e4,#4a1d20);text-decoration:none}details>p{font-size:.85rem;margin:.2rem 0}summary b{color:CanvasText;font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}.came{border-top:1px solid var(--line);margin-top:.4rem;padding-top:.3rem;scroll-margin-top:8rem}.came:target{outline:2px solid Highlight;outline-offset:.2rem}
details pre{font:.85rem/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
.error{border-color:color-mix(in srgb,#d13438 55%,Canvas)}.error summary{color:light-dark(#b3261e,#ff8a80)}
.text{overflow-wrap:anywhere}.text>:first-child{margin-top:.25rem}.text>:last-child{margin-bottom:.25rem}
.text pre{background:var(--soft);border-radius:.4rem;font:.85rem/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;padding:.6rem .8rem}
.text code{background:var(--soft);border-radius:.25rem;font:.88em ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;padding:.1em .3em}.text pre code{background:none;padding:0}
.text :is(h2,h3,h4,h5,h6){font-size:1rem;margin:1rem 0 .4rem}.text blockquote{border-left:3px solid var(--line);margin:.5rem 0;padding-left:.9rem}
.text table{border-collapse:collapse;display:block;overflow-x:auto}.text td,.text th{border:1px solid var(--line);padding:.25rem .6rem}
section{border-top:1px solid var(--line);margin-top:2rem}section h2{font-size:1.2rem}section h3{font-size:1rem;margin:1rem 0 .25rem}section th{font-weight:normal;text-align:left}.number{font-variant-numeric:tabular-nums;text-align:right}
.text a{color:light-dark(#0b57d0,#8ab4f8)}img{height:auto;max-width:100%}
.date{color:var(--dim);font-size:.85rem;margin:-1.1rem 0 1.5rem}
.note{color:var(--dim);font-size:.85rem;margin:.5rem 0;overflow-wrap:anywhere;padding-left:1rem}.note.failed{color:light-dark(#b3261e,#ff8a80)}
.note.own{background:light-dark(#fff6cf,#3d3500);border-left:3px solid #b7950b;color:CanvasText;padding:.3rem .8rem}
.note.depth1{margin-left:1.75rem}.note.depth2{margin-left:3.5rem}.note.depth3{margin-left:5.25rem}
[hidden]{display:none!important}
.glance{color:var(--dim);font-size:.85rem;margin:-.6rem 0 .75rem}
nav{align-items:center;background:Canvas;border-bottom:1px solid var(--line);display:flex;flex-wrap:wrap;gap:.4rem 1rem;left:0;margin:0 0 1.25rem;padding:.6rem 0;position:sticky;top:0;z-index:2}
.group{align-items:center;display:inline-flex;flex-wrap:wrap;gap:.35rem}.agents{flex-basis:100%;max-height:6rem;overflow-y:auto;padding:2px}
input,button{background:Canvas;border:1px solid color-mix(in srgb,CanvasText 45%,Canvas);border-radius:.4rem;color:CanvasText;font:inherit;font-size:.85rem;line-height:1.4;padding:.2rem .6rem}
input{width:13rem}button{cursor:pointer}button:hover:enabled{background:var(--soft)}button:disabled{color:var(--dim);cursor:default}
:is(a,button,input,summary):focus-visible{outline:2px solid light-dark(#0b57d0,#8ab4f8);outline-offset:1px}
button[aria-pressed=true]:not(.chip){background:light-dark(#0b57d0,#8ab4f8);border-color:transparent;color:Canvas}
.chip{border-radius:1rem}.chip::before{background:var(--agent);border-radius:50%;content:"";display:inline-block;height:.6em;margin-right:.4em;width:.6em}
.chip[aria-pressed=false]{color:var(--dim);text-decoration:line-through}.chip[aria-pressed=false]::before{background:none;box-shadow:inset 0 0 0 1px var(--dim)}
.glance button{border:0;color:light-dark(#b3261e,#ff8a80);padding:0 .2rem;text-decoration:underline}
output{color:var(--dim);font-size:.85rem;font-variant-numeric:tabular-nums;min-width:5rem}.nothing{color:var(--dim)}
.hue0{--agent:#2e9e5b}.hue1{--agent:#2a7de1}.hue2{--agent:#b7791f}.hue3{--agent:#9b51c6}.hue4{--agent:#d1495b}.hue5{--agent:#138a9e}.hue6{--agent:#6b7a1e}.hue7{--agent:#7a6a5a}
::highlight(found){background-color:#ffe58a;color:#000}::highlight(current){background-color:#ff9d2e;color:#000}
.talk :is(article.tool,article.system,article.developer,article.mute,aside:not(.own),article>details){display:none}
.lanes{max-width:none}.lanes :is(h1,.date,.glance,nav){max-width:calc(100vw - 2.5rem);position:sticky;left:1.25rem}.lanes nav{top:0}
.lanes main{background:repeating-linear-gradient(90deg,var(--line) 0 1px,transparent 1px calc((100% + 1rem)/var(--lanes)));column-gap:1rem;display:grid;grid-template-columns:repeat(var(--lanes),minmax(0,1fr));min-width:calc(var(--lanes)*17rem)}
.lanes main>[class]{margin:.3rem 0 .3rem .5rem;max-height:13rem;min-width:0;overflow:hidden;position:relative;width:auto}.lanes main>[class].whole{max-height:none}
.lanes article{--hue:var(--agent);border:1px solid var(--line);border-left:3px solid var(--hue);border-radius:.4rem;padding:.4rem .7rem}
.lane{border-top:3px solid var(--agent);font-size:1rem;padding:.3rem 0}
.more{bottom:.3rem;position:absolute;right:.4rem}.whole>.more{position:static;float:right}
@media (max-width:40rem){body{padding:1.25rem .75rem 3rem}article.depth1{margin-left:.6rem}article.depth2{margin-left:1.2rem}article.depth3{margin-left:1.8rem}nav{position:static}article{scroll-margin-top:0}}
@media print{nav,.glance button,.more,.nothing{display:none}article{break-inside:avoid-page}details::details-content{content-visibility:visible;display:block}.lanes main{background:none;display:block;min-width:0}.lanes main>[class]{max-height:none}.lanes main>.lane{display:none}}`;
