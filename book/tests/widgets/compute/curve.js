// Points interleaved and back, boxes cut into ranges, places as GEOADD's scores.
({ points, boxes, places }) => ({
  numbers: points.map(([x, y]) => Curve.interleave(x, y)),
  back: points.map(([x, y]) => Curve.deinterleave(Curve.interleave(x, y))),
  ranges: boxes.map(([low, high, limit]) => Curve.ranges({ low, high }, limit)),
  geohashes: places.map(([lon, lat]) => Curve.geohash(lon, lat)),
})
