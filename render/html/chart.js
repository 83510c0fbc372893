/* Bars on a canvas: only what is visible is drawn, so that height and number of bars cost nothing. */
const ROW = 19, AXIS = 20, LEAST_PIXELS = 0.4, TEXT_PIXELS = 28;

class Chart {
    /* `onSelect` and `onHover` get a bar or null. */
    constructor(scroller, onSelect, onHover) {
        this.scroller = scroller;
        this.canvas = scroller.querySelector("canvas");
        this.spacer = scroller.querySelector(".spacer");
        this.onSelect = onSelect;
        this.onHover = onHover;
        this.matches = null; /* a function of a bar, while something is searched */
        this.selected = this.hovered = null;
        this.show({bars: [], rows: [], start: 0, end: 0});
        scroller.addEventListener("scroll", () => this.draw());
        scroller.addEventListener("mousemove", event => this.hover(event));
        scroller.addEventListener("mouseleave", () => this.hover(null));
        scroller.addEventListener("click", event => this.click(event));
        scroller.addEventListener("wheel", event => this.wheel(event), {passive: false});
        new ResizeObserver(() => this.draw()).observe(scroller);
    }

    show(layout) {
        this.layout = layout;
        this.selected = this.hovered = null;
        this.scroller.scrollTop = 0;
        this.zoom(layout.start, layout.end);
        this.drawNow(); /* not only when the browser gets to it */
    }

    zoom(start, end) {
        const {layout} = this, least = Math.max(1, (layout.end - layout.start) * 1e-12);
        const width = Math.min(Math.max(end - start, least), Math.max(layout.end - layout.start, least));
        this.start = Math.min(Math.max(start, layout.start), Math.max(layout.end - width, layout.start));
        this.end = this.start + width;
        this.draw();
    }

    reset() {
        this.zoom(this.layout.start, this.layout.end);
    }

    zoomBy(factor, center = (this.start + this.end) / 2) {
        this.zoom(center - (center - this.start) * factor, center + (this.end - center) * factor);
    }

    moveBy(share) {
        const by = (this.end - this.start) * share;
        this.zoom(this.start + by, this.end + by);
    }

    select(bar) {
        this.selected = bar;
        if (bar)
            this.reveal(bar);
        this.draw();
        this.onSelect(bar);
    }

    reveal(bar) {
        const top = bar.row * ROW, visible = this.scroller.clientHeight - AXIS;
        if (top < this.scroller.scrollTop)
            this.scroller.scrollTop = top;
        else if (top + ROW > this.scroller.scrollTop + visible)
            this.scroller.scrollTop = top + ROW - visible;
        if (bar.x + bar.width < this.start || bar.x > this.end) {
            const half = Math.max(this.end - this.start, bar.width) / 2, middle = bar.x + bar.width / 2;
            this.zoom(middle - half, middle + half);
        }
    }

    focus(bar) {
        this.select(bar);
        if (bar && bar.width > 0)
            this.zoom(bar.x, bar.x + bar.width);
    }

    /* From the selected bar: -1, 1 along its row; "up" to what called it, "down" to the first that it called. */
    step(where) {
        const bar = this.selected, rows = this.layout.rows;
        if (!bar)
            return this.select(this.layout.bars.find(each => each.x + each.width > this.start) || null);
        let next = null;
        if (where === "up")
            next = bar.parent;
        else if (where === "down")
            next = (rows[bar.row + 1] || []).find(each => each.parent === bar) || null;
        else
            next = rows[bar.row][rows[bar.row].indexOf(bar) + where] || null;
        if (next)
            this.select(next);
    }

    nextFailed() {
        const {bars} = this.layout, from = bars.indexOf(this.selected) + 1;
        const next = bars.slice(from).find(bar => bar.error && bar.of) || bars.find(bar => bar.error && bar.of);
        if (next)
            this.select(next);
    }

    pixels(x) {
        return (x - this.start) / (this.end - this.start) * this.width;
    }

    barAt(event) {
        const box = this.canvas.getBoundingClientRect();
        const x = event.clientX - box.left, y = event.clientY - box.top;
        const row = this.layout.rows[Math.floor((y - AXIS + this.scroller.scrollTop) / ROW)];
        if (y < AXIS || !row)
            return null;
        const at = this.start + x / this.width * (this.end - this.start);
        const near = 3 / this.width * (this.end - this.start); /* what is narrower than a finger can be hit too */
        const bar = row[firstBehind(row, at - near)];
        return bar && bar.x <= at + near ? bar : null;
    }

    hover(event) {
        const bar = event && this.barAt(event);
        if (bar !== this.hovered) {
            this.hovered = bar;
            this.draw();
        }
        this.onHover(bar, event);
    }

    click(event) {
        const bar = this.barAt(event);
        if (bar && bar === this.selected)
            this.focus(bar);
        else
            this.select(bar);
    }

    wheel(event) {
        const across = event.deltaX || (event.shiftKey ? event.deltaY : 0);
        if (event.ctrlKey || event.metaKey) {
            const box = this.canvas.getBoundingClientRect();
            const at = this.start + (event.clientX - box.left) / this.width * (this.end - this.start);
            this.zoomBy(Math.exp(event.deltaY * 0.003), at);
        } else if (across) {
            this.moveBy(across / this.width);
        } else {
            return;
        }
        event.preventDefault();
    }

    draw() {
        cancelAnimationFrame(this.pending);
        this.pending = requestAnimationFrame(() => this.drawNow());
    }

    drawNow() {
        const {scroller, canvas} = this, scale = window.devicePixelRatio || 1;
        const width = this.width = scroller.clientWidth, height = scroller.clientHeight;
        if (!width || !height)
            return;
        canvas.style.width = width + "px";
        canvas.style.height = height + "px";
        if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) {
            canvas.width = Math.round(width * scale);
            canvas.height = Math.round(height * scale);
        }
        this.spacer.style.height = Math.max(0, AXIS + this.layout.rows.length * ROW - height) + "px";
        const pen = canvas.getContext("2d"), style = getComputedStyle(document.documentElement);
        this.colours = name => style.getPropertyValue("--" + name).trim();
        pen.setTransform(scale, 0, 0, scale, 0, 0);
        pen.fillStyle = this.colours("back");
        pen.fillRect(0, 0, width, height);
        pen.font = "12px system-ui, 'DejaVu Sans', sans-serif";
        pen.textBaseline = "middle";
        this.letter = pen.measureText("abcdefghij").width / 10;
        const first = Math.floor(scroller.scrollTop / ROW);
        const last = Math.min(this.layout.rows.length - 1, Math.ceil((scroller.scrollTop + height) / ROW));
        const frame = {light: this.colours("frame-light"), saturation: this.colours("frame-saturation"),
                       text: this.colours("frame-text"), error: this.colours("error"), match: this.colours("match"),
                       panel: this.colours("panel"), name: this.colours("text"), accent: this.colours("accent")};
        for (let row = first; row <= last; row++)
            this.drawRow(pen, this.layout.rows[row], AXIS + row * ROW - scroller.scrollTop, frame);
        this.drawAxis(pen);
    }

    drawRow(pen, row, y, colours) {
        let drawn = -1;
        for (let i = firstBehind(row, this.start); i < row.length && row[i].x <= this.end; i++) {
            const bar = row[i], left = this.pixels(bar.x), right = this.pixels(bar.x + bar.width);
            const marked = bar === this.selected || bar === this.hovered;
            if (right - Math.max(left, drawn) < LEAST_PIXELS && right < drawn + LEAST_PIXELS && !marked && !bar.error)
                continue;
            drawn = Math.max(drawn, right);
            this.drawBar(pen, bar, Math.max(left, -1), Math.min(right, this.width + 1), y, colours);
        }
    }

    drawBar(pen, bar, left, right, y, colours) {
        const width = Math.max(right - left - (right - left > 3 ? 1 : 0), 1);
        const dimmed = this.matches && bar.of && !this.matches(bar);
        const isMoment = bar.span && bar.span.flags & FLAG.moment;
        pen.globalAlpha = dimmed ? 0.3 : 1;
        pen.fillStyle = !bar.of ? colours.panel
                      : `hsl(${bar.of.hue} ${colours.saturation} ${colours.light})`;
        if (isMoment) {
            pen.fillStyle = bar.error ? colours.error : colours.accent;
            pen.beginPath();
            pen.moveTo(left, y + 2);
            pen.lineTo(left + 4, y + ROW / 2);
            pen.lineTo(left, y + ROW - 3);
            pen.lineTo(left - 4, y + ROW / 2);
            pen.fill();
        } else {
            pen.fillRect(left, y, width, ROW - 1);
        }
        if (bar.error && !isMoment) {
            pen.fillStyle = colours.error;
            pen.fillRect(left, y, Math.max(Math.min(width, 4), 1.5), ROW - 1);
        }
        if (this.matches && bar.of && !dimmed) {
            pen.fillStyle = colours.match;
            pen.fillRect(left, y + ROW - 4, width, 3);
        }
        pen.globalAlpha = dimmed ? 0.5 : 1;
        if (width > TEXT_PIXELS && !isMoment) {
            const room = Math.floor((width - 8) / this.letter);
            const text = bar.label.length > room ? bar.label.slice(0, Math.max(room - 1, 1)) + "…" : bar.label;
            pen.fillStyle = bar.of ? colours.text : colours.name;
            pen.save();
            pen.beginPath();
            pen.rect(left, y, width, ROW);
            pen.clip();
            pen.fillText(text, left + (bar.error ? 7 : 4), y + ROW / 2);
            pen.restore();
        }
        pen.globalAlpha = 1;
        if (bar === this.selected || bar === this.hovered) {
            pen.lineWidth = bar === this.selected ? 2 : 1;
            pen.strokeStyle = colours.name;
            pen.strokeRect(left + 0.5, y + 0.5, Math.max(width - 1, 2), ROW - 2);
        }
    }

    drawAxis(pen) {
        pen.fillStyle = this.colours("panel");
        pen.fillRect(0, 0, this.width, AXIS);
        pen.fillStyle = this.colours("dim");
        const shown = this.end - this.start, power = Math.pow(10, Math.floor(Math.log10(Math.max(shown, 1))));
        const step = [0.1, 0.2, 0.5, 1].map(share => share * power).find(each => shown / each <= this.width / 110) ||
                     power;
        const zero = this.layout.start;
        for (let at = Math.ceil((this.start - zero) / step) * step; at <= this.end - zero && step > 0; at += step) {
            const x = this.pixels(at + zero);
            pen.fillRect(x, AXIS - 5, 1, 5);
            pen.fillText(formatDuration(at), x + 3, AXIS / 2);
        }
        pen.fillRect(0, AXIS - 1, this.width, 1);
    }
}
