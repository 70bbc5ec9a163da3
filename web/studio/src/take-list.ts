import type { TakePerformance } from "./performance";
import type { SceneView } from "./scene-view";

/** The takes on the page: a line's first one in the list, newest on top, and heirs below parents. */
export class TakeList {
  /** Newest first. */
  readonly all: TakePerformance[] = [];
  private sessionId: string | undefined;

  constructor(
    private readonly place: HTMLElement,
    private readonly empty: HTMLElement,
  ) {}

  /** The session on the page is this one: takes of another can be heard, and no more. */
  belong(sessionId: string): void {
    if (this.sessionId !== sessionId) for (const one of this.all) one.past = true;
    this.sessionId = sessionId;
  }

  /** A take of a new line, or one that starts from another. */
  add(performance: TakePerformance): void {
    this.all.unshift(performance);
    const { parent, card } = performance;
    if (parent === undefined) this.put(card.element);
    else parent.card.heirs.append(card.element);
  }

  /** A scene, whose lines' takes come by `addTo`. */
  addScene(scene: SceneView): void {
    this.put(scene.element);
  }

  addTo(scene: SceneView, performance: TakePerformance): void {
    this.all.unshift(performance);
    scene.begin(performance.card);
  }

  private put(element: HTMLElement): void {
    this.place.prepend(element);
    this.empty.hidden = true;
  }

  /** Which of its line's takes the next heir of this one is, from 1. */
  nextOf(parent: TakePerformance): number {
    const root = rootOf(parent);
    return 1 + this.all.filter((performance) => rootOf(performance) === root).length;
  }

  /** Stars the take that is its line's, and no other of the line. */
  keep(takeId: string, lineId: string): void {
    for (const { take, card } of this.all) {
      if (take.lineId === lineId) card.keeps(take.id === takeId);
    }
  }
}

function rootOf(performance: TakePerformance): TakePerformance {
  return performance.parent === undefined ? performance : rootOf(performance.parent);
}
