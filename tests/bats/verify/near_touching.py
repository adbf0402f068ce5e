#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""near_touching.py DIM SEED FRAMES: frames of two bodies of any kinds, on a coarse lattice, turned by few angles, moved by
single units in the last place: most touch or nearly so. Writes a stream of JSON-lines."""
import json, math, random, sys

dim, seed, frames = int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
R = random.Random(seed)
out = lambda r: print(json.dumps(r))
out({"type":"head","cds":[1,0],"dim":dim})
if dim == 3:
    out({"type":"shape","id":1,"kind":"box","halfsizes":[0.5,0.5,0.5]})
    out({"type":"shape","id":2,"kind":"box","halfsizes":[0.3,0.1,0.7]})
    out({"type":"shape","id":3,"kind":"polyhedron","vertices":[[0,0,0],[1,0,0],[0,1,0],[0,0,1]],"faces":[[0,2,1],[0,1,3],[0,3,2],[1,2,3]]})
    out({"type":"shape","id":4,"kind":"facets","vertices":[[0,0,0],[1,0,0],[0,1,0]],"triangles":[[0,1,2]]})
    out({"type":"shape","id":5,"kind":"facets","thickness":0.25,"vertices":[[0,0,0],[1,0,0],[0,1,0]],"triangles":[[0,1,2]]})
    out({"type":"shape","id":6,"kind":"sphere","radius":0.5})
    out({"type":"shape","id":7,"kind":"halfspace","normal":[0,0,1],"offset":0})
    out({"type":"shape","id":8,"kind":"ellipsoid","semiaxes":[0.5,0.25,1]})
    kinds = 8
else:
    out({"type":"shape","id":1,"kind":"box","halfsizes":[0.5,0.5]})
    out({"type":"shape","id":2,"kind":"box","halfsizes":[0.3,0.1]})
    out({"type":"shape","id":3,"kind":"polygon","vertices":[[0,0],[1,0],[0,1]]})
    out({"type":"shape","id":4,"kind":"sphere","radius":0.5})
    out({"type":"shape","id":5,"kind":"halfspace","normal":[0,1],"offset":0})
    out({"type":"shape","id":6,"kind":"ellipsoid","semiaxes":[0.5,0.25]})
    kinds = 6

angles = [0, math.pi/2, math.pi/4, math.pi, 0.3, math.atan2(3,4)]

def rot():
    if dim == 2: return R.choice(angles)
    m = R.randrange(4)
    if m == 0: return [1,0,0,0]
    if m == 1:
        a = R.choice(angles)/2; k = R.randrange(3)
        return [math.cos(a)] + [math.sin(a)*(i==k) for i in range(3)]
    if m == 2: return R.choice([[0.5,0.5,0.5,0.5],[0.8,0.6,0,0],[0,0.6,0.8,0]])
    q=[R.gauss(0,1) for _ in range(4)]; n=math.sqrt(sum(x*x for x in q)); return [x/n for x in q]

grid = [0,0.5,1,0.8,0.6,0.25,0.4,1.5,-0.5,-1,-0.25,1.25]

def jitter(x):
    m = R.randrange(4)
    if m < 2: return x
    if m == 2: return x + R.choice([-1,1])*R.choice([1e-17,2**-52,2**-53,2**-54,1e-15,1e-16])
    return x*(1+R.choice([-1,1])*2**-52)

for f in range(frames):
    out({"type":"frame","index":f,"time":f*0.01,"step":0.01})
    far = R.choice([0,0,0,1,1000,1e7]) 
    p0 = [jitter(R.choice(grid))+far for _ in range(dim)]
    q0 = rot()
    same = R.random() < 0.6
    p1 = [jitter(p0[k]+R.choice(grid)) for k in range(dim)]
    q1 = q0 if same else rot()
    if dim==3 and same and R.random()<0.7:  # displacement along turned axes
        w,x,y,z=q0
        m=[[1-2*(y*y+z*z),2*(x*y-w*z),2*(x*z+w*y)],[2*(x*y+w*z),1-2*(x*x+z*z),2*(y*z-w*x)],[2*(x*z-w*y),2*(y*z+w*x),1-2*(x*x+y*y)]]
        d=[R.choice(grid) for _ in range(3)]
        p1=[jitter(p0[k]+sum(m[k][j]*d[j] for j in range(3))) for k in range(3)]
    s0, s1 = R.randint(1,kinds), R.randint(1,kinds)
    for i,(s,p,q) in enumerate([(s0,p0,q0),(s1,p1,q1)]):
        out({"type":"body","id":i+1,"shape":s,"position":p,"rotation":q,"mass":1,"inertia":1 if dim==2 else [1,1,1,0,0,0]})
    out({"type":"fend"})
out({"type":"end"})
