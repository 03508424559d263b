// report.js - draws the plots of a page written by html.c, from the JSON in its element #report.
// A point is [x, y, label, low, high, q1, q3]; docs/report.md describes the page.
import * as echarts from 'echarts/core';
import { BarChart, BoxplotChart, CustomChart, LineChart, ScatterChart } from 'echarts/charts';
import {
  DataZoomComponent, GridComponent, LegendComponent, MarkLineComponent, ToolboxComponent,
  TooltipComponent
} from 'echarts/components';
import { CanvasRenderer } from 'echarts/renderers';

echarts.use([BarChart, BoxplotChart, CustomChart, LineChart, ScatterChart, DataZoomComponent,
  GridComponent, LegendComponent, MarkLineComponent, ToolboxComponent, TooltipComponent,
  CanvasRenderer]);

const BARS_SHOWN = 24;

const plots = JSON.parse(document.getElementById('report').textContent);
const charts = [];
const root = document.documentElement;

const escape = (text) => String(text).replace(/[&<>"]/g,
  (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[c]);
const format = (value) => Number(Number(value).toPrecision(6)).toLocaleString('en-US',
  { maximumSignificantDigits: 6 });
const axisName = (axis) => axis.unit ? `${axis.name}, ${axis.unit}` : axis.name;
const css = (name) => getComputedStyle(root).getPropertyValue(name).trim();
const onAxis = (axis, value) => axis.type === 'category' ? axis.categories[value] : format(value);
const withUnit = (axis, value) => `${onAxis(axis, value)}${axis.unit ? ' ' + axis.unit : ''}`;

function tooltip(plot, series, point) {
  const [x, y, label, low, high, q1, q3] = point;
  const rows = [`<b>${escape(series.name)}</b>`];
  if (label) rows.push(escape(label));
  rows.push(`${escape(plot.x.name)}: ${escape(withUnit(plot.x, x))}`);
  if (series.type === 'boxplot') {
    rows.push(`median: ${withUnit(plot.y, y)}`, `quartiles: ${format(q1)} .. ${format(q3)}`,
      `range: ${format(low)} .. ${format(high)}`);
  } else {
    rows.push(`${escape(plot.y.name)}: ${withUnit(plot.y, y)}`);
  }
  if (series.type === 'bar' && low < high) rows.push(`from ${format(low)} to ${format(high)}`);
  return rows.join('<br>');
}

// Every line's point at one place of the axis.
function tooltipOfAll(plot, items) {
  const rows = items.map((p) => `${p.marker}${escape(plot.series[p.seriesIndex].name)}: ${
    escape(withUnit(plot.y, p.data.point[1]))}`);
  return [`${escape(plot.x.name)}: ${escape(withUnit(plot.x, items[0].data.point[0]))}`, ...rows]
    .join('<br>');
}

// A series that continues the one before it has no entry of its own in the legend: one entry shows
// and hides both.
function legendName(plot, series) {
  let i = plot.series.indexOf(series);
  while (i > 0 && (plot.series[i].dashed || plot.series[i].joined)) i--;
  return plot.series[i].name;
}

// On dark ground a fifth of white is mixed in.
function colorOf(series) {
  if (root.dataset.theme !== 'dark') return series.color;
  const rgb = [1, 3, 5].map((i) => parseInt(series.color.slice(i, i + 2), 16));
  return '#' + rgb.map((c) => Math.round(c + 0.2 * (255 - c)).toString(16).padStart(2, '0')).join('');
}

// Lines with so many points have no room for marks: a tooltip tells of all lines at one place.
const isDense = (plot) => plot.series.some((s) => s.type === 'line' && s.points.length > 100);

function drawSeries(plot, series) {
  const color = colorOf(series);
  const base = { name: legendName(plot, series), color, itemStyle: { color } };
  const dense = isDense(plot);
  const xy = series.points.map((p) => ({ value: [p[0], p[1]], point: p }));
  if (series.type === 'line') {
    return { ...base, type: 'line', data: xy, symbol: 'circle', symbolSize: dense ? 6 : series.size,
      showSymbol: series.size > 0 && !dense, showAllSymbol: true,
      silent: series.size === 0, z: series.size === 0 ? 1 : 2,
      lineStyle: { width: dense ? 1.3 : 2, color, type: series.dashed ? 'dashed' : 'solid' },
      emphasis: { lineStyle: { width: dense ? 2 : 3 } } };
  }
  if (series.type === 'boxplot') {
    return { ...base, type: 'boxplot', boxWidth: [8, 46],
      itemStyle: { color: color + '40', borderColor: color, borderWidth: 1.5 },
      data: series.points.map((p) => ({ value: [p[0], p[3], p[5], p[1], p[6], p[4]], point: p })),
      encode: { x: 0, y: [1, 2, 3, 4, 5] } };
  }
  if (series.type === 'bar') return { ...base, type: 'bar', data: xy };
  if (series.type === 'stack') return { ...base, type: 'bar', stack: 'all', data: xy, barMaxWidth: 46 };
  return { ...base, type: 'scatter', z: 3, data: xy, symbolSize: series.size + 2,
    itemStyle: series.hollow
      ? { color: 'transparent', borderColor: color, borderWidth: 1.2 }
      : { color, opacity: 0.75 } };
}

// Error bars: bar number i of n in its category.
function errorBars(series, index, count, ink) {
  const data = series.points.filter((p) => p[3] < p[4]).map((p) => [p[0], p[3], p[4]]);
  if (data.length === 0) return [];
  return [{ name: series.name, type: 'custom', data, silent: true, clip: true, z: 5, encode: { x: 0, y: [1, 2] },
    renderItem(params, api) {
      const layout = api.barLayout({ count, barGap: '30%', barCategoryGap: '20%' })[index];
      const shift = layout ? layout.offsetCenter : 0;
      const [x, top] = api.coord([api.value(0), api.value(2)]);
      const bottom = api.coord([api.value(0), api.value(1)])[1];
      const at = x + shift;
      const stroke = { stroke: ink, lineWidth: 1.3 };
      const segment = (x1, y1, x2, y2) => ({ type: 'line', shape: { x1, y1, x2, y2 }, style: stroke });
      return { type: 'group', children: [segment(at, top, at, bottom),
        segment(at - 4, top, at + 4, top), segment(at - 4, bottom, at + 4, bottom)] };
    } }];
}

function drawAxis(axis, ink, line, gap, nameGap) {
  const common = { name: axisName(axis), nameLocation: 'middle', nameGap,
    nameTextStyle: { color: ink, fontSize: 13 }, axisLabel: { color: ink, hideOverlap: true },
    axisLine: { lineStyle: { color: ink } }, splitLine: { lineStyle: { color: line } } };
  if (axis.type === 'category') {
    const rotate = axis.categories.length > 8 ? 30 : 0;
    return { ...common, type: 'category', data: axis.categories, splitLine: { show: false },
      nameGap: rotate ? 52 : nameGap, axisLabel: { color: ink, rotate, hideOverlap: true } };
  }
  return { ...common, type: axis.type, scale: gap };
}

function extent(values) {
  return [values.reduce((a, b) => Math.min(a, b), Infinity),
    values.reduce((a, b) => Math.max(a, b), -Infinity)];
}

// An axis begins at 0 when that costs less than half of it, also for noise a little below nothing.
function linearBounds(axis, values) {
  if (axis.type !== 'value') return {};
  const [low, high] = extent(values);
  return low > -0.02 * high && low < 0.5 * high ? { min: 0 } : {};
}

// Thresholds are on the axis, whatever the data.
function thresholdBounds(plot, values, label) {
  if (plot.y.type !== 'value' || !plot.thresholds.length) return {};
  const [low, high] = extent(plot.thresholds.map((t) => t.y));
  const [least, most] = extent(values);
  return { ...(least >= low ? { min: 1.3 * low } : {}), ...(most <= high ? { max: 1.3 * high } : {}),
    axisLabel: { ...label, showMinLabel: least < low, showMaxLabel: most > high } };
}

// A log axis from the first 1-2-5 step below the data: the axis' own choice is whole decades.
function logBounds(plot, axis, value, label) {
  if (axis.type !== 'log') return {};
  let low = Infinity;
  let high = 0;
  for (const series of plot.series) {
    for (const point of series.points) {
      low = Math.min(low, value(point, 0));
      high = Math.max(high, value(point, 1));
    }
  }
  if (!(low > 0)) return {};
  const power = (v) => 10 ** Math.floor(Math.log10(v));
  const below = [5, 2, 1].find((m) => m * power(low) <= low) * power(low);
  const above = [1, 2, 5, 10].find((m) => m * power(high) >= high) * power(high);
  const ticks = [];
  for (let decade = power(below); decade <= above; decade *= 10) {
    ticks.push(...[1, 2, 5].map((m) => m * decade).filter((v) => v >= below && v <= above));
  }
  return { min: below, max: above, axisTick: { customValues: ticks },
    axisLabel: { ...label, customValues: ticks } };
}

// The legend stands beside the toolbar, on the same line.
const legendWidth = (chart) => Math.max(120, chart.getWidth() - 140);

function option(plot, chart) {
  const [ink, line, card] = [css('--ink'), css('--line'), css('--card')];
  const bars = plot.series.filter((s) => s.type === 'bar');
  const columns = plot.series.filter((s) => s.type === 'bar' || s.type === 'stack');
  const series = plot.series.map((s) => drawSeries(plot, s));
  bars.forEach((s, i) => series.push(...errorBars(s, i, bars.length, ink)));
  if (series.length && plot.thresholds.length) {
    series[0].markLine = { silent: true, symbol: 'none',
      lineStyle: { color: ink, type: [3, 4], width: 1.2 },
      label: { color: ink, formatter: (p) => p.data.name },
      data: plot.thresholds.map((t) => ({ yAxis: t.y, name: t.label,
        label: { position: t.y < 0 ? 'insideEndBottom' : 'insideEndTop' } })) };
  }
  const xAxis = drawAxis(plot.x, ink, line, true, 30);
  const yAxis = drawAxis(plot.y, ink, line, columns.length === 0, 54);
  const heights = plot.series.flatMap((s) => s.points.flatMap(
    (p) => p.length > 3 ? [p[3], p[4]] : [p[1]]));
  const names = [...new Set(plot.series.map((s) => legendName(plot, s)))];
  const dense = isDense(plot);
  // Bars of many categories begin with the first of them; the slider has the others.
  const shown = columns.length && plot.x.categories.length > BARS_SHOWN
    ? { end: 100 * BARS_SHOWN / plot.x.categories.length } : {};
  const zoomX = { xAxisIndex: 0, filterMode: 'none' };
  const zoomY = { yAxisIndex: 0, filterMode: 'none' };
  return {
    animation: false,
    textStyle: { color: ink },
    legend: { show: names.length > 1 || plot.series[0].type === 'scatter', type: 'scroll',
      top: 2, left: 0, width: legendWidth(chart),
      textStyle: { color: ink }, data: names, pageTextStyle: { color: ink }, pageIconColor: ink },
    grid: { left: 74, right: 30, top: 52, bottom: plot.x.categories.length > 8 ? 112 : 90 },
    tooltip: { trigger: dense ? 'axis' : 'item', confine: true, backgroundColor: card, borderColor: line,
      textStyle: { color: ink, fontSize: 13 },
      formatter: (p) => Array.isArray(p) ? tooltipOfAll(plot, p)
        : tooltip(plot, plot.series[p.seriesIndex], p.data.point) },
    toolbox: { right: 4, top: -6, iconStyle: { borderColor: ink }, feature: {
      dataZoom: { title: { zoom: 'zoom into a box', back: 'undo zoom' }, filterMode: 'none' },
      restore: { title: 'whole plot' },
      saveAsImage: { title: 'save as PNG', name: plot.id, pixelRatio: 2, backgroundColor: card } } },
    dataZoom: [{ type: 'inside', ...zoomX, ...shown }, { type: 'inside', ...zoomY },
      { type: 'slider', ...zoomX, ...shown, height: 18, bottom: 8, showDataShadow: false,
        textStyle: { color: ink } }],
    xAxis: { ...xAxis, ...logBounds(plot, plot.x, (p) => p[0], xAxis.axisLabel),
      ...linearBounds(plot.x, plot.series.flatMap((s) => s.points.map((p) => p[0]))) },
    yAxis: { ...yAxis,
      ...logBounds(plot, plot.y, (p, top) => p.length > 3 ? p[top ? 4 : 3] : p[1],
        yAxis.axisLabel),
      ...linearBounds(plot.y, heights), ...thresholdBounds(plot, heights, yAxis.axisLabel) },
    series
  };
}

function headings(plot) {
  const kinds = new Set(plot.series.map((s) => s.type));
  const more = kinds.has('boxplot') ? ['low', 'high', 'quartile 1', 'quartile 3']
    : kinds.has('bar') ? ['low', 'high'] : [];
  return ['series', 'name', axisName(plot.x), axisName(plot.y), ...more];
}

// The table under a plot is built when it is opened: thousands of rows cost nothing before.
function fillTable(place, plot) {
  const head = headings(plot);
  const cells = (row, tag) => row.map((c) => `<${tag}>${escape(c)}</${tag}>`).join('');
  const rows = plot.series.flatMap((s) => s.points.map((p) => [s.name, p[2], onAxis(plot.x, p[0]),
    format(p[1]), ...p.slice(3, head.length - 1).map(format)]));
  place.innerHTML = `<table><caption hidden>${escape(plot.title)}</caption><thead><tr>${
    head.map((h) => `<th scope="col">${escape(h)}</th>`).join('')}</tr></thead><tbody>${
    rows.map((row) => `<tr>${cells(row, 'td')}</tr>`).join('')}</tbody></table>`;
}

function draw() {
  plots.forEach((plot, i) => {
    const chart = charts[i];
    chart.setOption(option(plot, chart), true);
  });
}

function start() {
  const dark = window.matchMedia('(prefers-color-scheme: dark)');
  root.dataset.theme = dark.matches ? 'dark' : 'light';
  for (const plot of plots) {
    const place = document.getElementById(plot.id);
    charts.push(echarts.init(place.querySelector('.chart')));
    const details = place.querySelector('details');
    details.addEventListener('toggle', () => {
      const target = details.querySelector('div');
      if (details.open && !target.firstChild) fillTable(target, plot);
    });
  }
  draw();
  document.getElementById('theme').addEventListener('click', () => {
    root.dataset.theme = root.dataset.theme === 'dark' ? 'light' : 'dark';
    draw();
  });
  window.addEventListener('resize', () => charts.forEach((c) => {
    c.resize();
    c.setOption({ legend: { width: legendWidth(c) } });
  }));
  charts.forEach((c) => c.getZr().flush());
  // For the browser test, and for who wants to look inside. The time counts from the page's opening
  // until every plot is painted.
  window.panemReport = { plots, charts, drawnMs: performance.now() };
}

start();
